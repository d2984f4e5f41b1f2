//! Names of fields, headers and cookies whose values are nobody's business.
//!
//! Apart from the search for them because it is a list of words, which grows.

/// Whether the value under a name is private.
pub fn is_private(name: &str) -> bool {
    const WHOLE: [&str; 22] = [
        "proxyauthorization",
        "token",
        "passwd",
        "pwd",
        "passcode",
        "pan",
        "cvv",
        "cvc",
        "cvv2",
        "cvc2",
        "cardcvc",
        "cardcvv",
        "securitycode",
        "pin",
        "otp",
        "totp",
        "jwt",
        "sessionid",
        "phpsessid",
        "jsessionid",
        "connectsid",
        "bearer",
    ];
    const ENDS: [&str; 20] = [
        "authorization",
        "password",
        "passwordconfirmation",
        "passphrase",
        "secret",
        "apikey",
        "apitoken",
        "accesstoken",
        "accesskey",
        "refreshtoken",
        "idtoken",
        "authtoken",
        "bearertoken",
        "securitytoken",
        "sessiontoken",
        "csrftoken",
        "privatekey",
        "secretkey",
        "signingkey",
        "cardnumber",
    ];
    if name.len() > 64 {
        return false;
    }
    let plain = plain(name);
    let is_end = || ENDS.iter().any(|end| plain.ends_with(end));
    WHOLE.contains(&plain.as_str()) || holds_private(name) || is_end()
}

/// Whether what stands under a name is a group of private values.
pub fn holds_private(name: &str) -> bool {
    name.len() <= 64 && ["cookie", "cookies", "setcookie"].contains(&plain(name).as_str())
}

/// Whether a text is the name of a private header, whose value stands beside it.
pub fn is_private_header(text: &str) -> bool {
    let names = [
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "x-api-key",
        "x-auth-token",
    ];
    names.iter().any(|name| text.eq_ignore_ascii_case(name))
}

/// The name of a field of a form without what it is inside of: `cvc` of `card[cvc]`.
pub fn innermost(name: &str) -> &str {
    let name = name.trim_end_matches("%5D").trim_end_matches("%5d");
    let name = name.trim_end_matches(']');
    let from = ["%5B", "%5b", "[", "."]
        .iter()
        .filter_map(|mark| name.rfind(mark).map(|at| at + mark.len()))
        .max();
    name.get(from.unwrap_or(0)..).unwrap_or(name)
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .map(|c| c.to_ascii_lowercase())
        .collect()
}
