//! Certificates for the tests: good ones, and the ways in which one can be bad.
//!
//! Apart from the servers because Redis, PostgreSQL and the clients use the same files.
//! Invariant: made anew for every test, so none of them expires in the repository.

use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};

use super::process::Folder;

/// A certificate and its key, as PEM files.
#[derive(Clone, Debug)]
pub struct Identity {
    pub cert: PathBuf,
    pub key: PathBuf,
}

/// The files of one test; they vanish when this is dropped.
pub struct Certificates {
    /// Signed all the identities below.
    pub ca: PathBuf,
    /// Signed none of them.
    pub other_ca: PathBuf,
    /// For `localhost`, `127.0.0.1` and `::1`.
    pub server: Identity,
    /// For `localhost` and no address.
    pub by_name: Identity,
    /// For a host that is not this one.
    pub wrong_name: Identity,
    /// For the right names, but over since 2020.
    pub expired: Identity,
    /// For the user `client`, with `client.pem` and `client.key`.
    pub client: Identity,
    folder: Folder,
}

type Authority = CertifiedIssuer<'static, KeyPair>;

const HERE: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

impl Certificates {
    pub fn new() -> Certificates {
        let folder = Folder::new();
        let authority = authority("Idemscope test CA");
        let other = authority_file(&folder, "other-ca.pem", &self::authority("Another CA"));
        let server = identity(&folder, &authority, "server", named(&HERE, "server"));
        let by_name = named(&["localhost"], "by-name");
        let by_name = identity(&folder, &authority, "by-name", by_name);
        let elsewhere = named(&["elsewhere.example"], "elsewhere");
        let wrong_name = identity(&folder, &authority, "wrong-name", elsewhere);
        let mut over = named(&HERE, "expired");
        over.not_before = date_time_ymd(2019, 1, 1);
        over.not_after = date_time_ymd(2020, 1, 1);
        let expired = identity(&folder, &authority, "expired", over);
        let client = identity(&folder, &authority, "client", named(&[], "client"));
        Certificates {
            ca: authority_file(&folder, "ca.pem", &authority),
            other_ca: other,
            server,
            by_name,
            wrong_name,
            expired,
            client,
            folder,
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Identity {
    pub fn cert_pem(&self) -> String {
        std::fs::read_to_string(&self.cert).expect("certificate of the test")
    }

    pub fn key_pem(&self) -> String {
        std::fs::read_to_string(&self.key).expect("key of the test")
    }
}

fn authority(name: &str) -> Authority {
    let mut params = named(&[], name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.extended_key_usages = Vec::new();
    CertifiedIssuer::self_signed(params, key()).expect("certificate of a test CA")
}

fn authority_file(folder: &Folder, file: &str, authority: &Authority) -> PathBuf {
    folder.write(file, &authority.as_ref().pem())
}

fn named(hosts: &[&str], name: &str) -> CertificateParams {
    let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
    let mut params = CertificateParams::new(hosts).expect("names of a test certificate");
    params.distinguished_name.push(DnType::CommonName, name);
    params.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    params
}

fn identity(
    folder: &Folder,
    authority: &Authority,
    file: &str,
    params: CertificateParams,
) -> Identity {
    let key = key();
    let cert = params
        .signed_by(&key, authority)
        .expect("signing a test certificate");
    Identity {
        cert: folder.write(&format!("{file}.pem"), &cert.pem()),
        key: folder.write(&format!("{file}.key"), &key.serialize_pem()),
    }
}

fn key() -> KeyPair {
    KeyPair::generate().expect("key of a test certificate")
}
