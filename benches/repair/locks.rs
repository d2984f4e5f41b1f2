//! Locks as libraries write them into Redis: a word, a small object, a whole request.
//!
//! What a comparison costs depends on how much there is to compare, so the rate is told for each.

use redis::Pipeline;

use crate::support::redis::Server;

#[derive(Clone, Copy, Debug)]
pub enum Lock {
    /// `processing`, and nothing else: 10 bytes.
    Word,
    /// A status and a fingerprint, as `node-idempotency` has them: 105 bytes.
    Object,
    /// The request with its headers and body, as `express-idempotency` keeps it: 1.2 kilobytes, the
    /// size that the first measurements were made with.
    Request,
}

impl Lock {
    pub fn name(self, number: usize) -> String {
        match self {
            Lock::Word => format!("idempotency:00000000-0000-4000-8000-{number:012}"),
            Lock::Object => format!("node-idempotency:POST:/payments:order-{number:09}"),
            Lock::Request => format!("00000000-0000-4000-8000-{number:012}"),
        }
    }

    pub fn value(self, number: usize) -> String {
        match self {
            Lock::Word => "processing".to_owned(),
            Lock::Object => {
                format!(r#"{{"status":"IN_PROGRESS","fingerPrint":"{number:064x}"}}"#)
            }
            Lock::Request => {
                let key = self.name(number);
                let comment = "services of the month ".repeat(38);
                format!(
                    r#"{{"request":{{"body":{{"amount":1500,"currency":"RUB","recipient":"user_42","comment":"{comment}"}},"headers":{{"host":"127.0.0.1:18381","connection":"keep-alive","content-type":"application/json","idempotency-key":"{key}","accept":"*/*","user-agent":"node","content-length":"84"}},"method":"POST","query":{{}},"url":"/payments"}}}}"#
                )
            }
        }
    }

    /// Locks of an hour ago, and others that the foreground client asks for.
    pub fn fill(self, redis: &Server, count: usize) {
        let mut connection = redis.connection();
        for first in (0..count).step_by(1000) {
            let mut pipe = Pipeline::new();
            for number in first..count.min(first + 1000) {
                let set = pipe.cmd("SET").arg(self.name(number));
                set.arg(self.value(number))
                    .arg("PX")
                    .arg(82_800_000)
                    .ignore();
                pipe.cmd("SET")
                    .arg(format!("cache:{number}"))
                    .arg("x".repeat(300))
                    .ignore();
            }
            pipe.exec(&mut connection).expect("written");
        }
    }
}
