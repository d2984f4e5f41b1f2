//! Signs in at an SSH host: with keys of an agent, then with keys from files.
//!
//! Apart from the tunnel because what is tried, and why it failed, is a story of its own.

use std::path::Path;
use std::sync::Arc;

use russh::client::{AuthResult, Handle, Handler};
use russh::keys::agent::AgentIdentity;
use russh::keys::agent::client::AgentClient;
use russh::keys::{HashAlg, PrivateKey, PrivateKeyWithHashAlg, PublicKey, decode_secret_key};

use crate::stores::target::{Hop, SshKey};

/// A host counts refusals, and ends the line after a few.
const AGENT_KEYS_MAX: usize = 6;

/// Errors: why nobody got in; a sentence after the host's name.
pub async fn sign_in<H: Handler>(
    handle: &mut Handle<H>,
    hop: &Hop,
    agent: Option<&Path>,
) -> Result<(), String> {
    let rsa = handle
        .best_supported_rsa_hash()
        .await
        .ok()
        .flatten()
        .flatten();
    let mut tried: Vec<String> = Vec::new();
    if let Some(path) = agent {
        match by_agent(handle, hop, path, rsa).await {
            Ok(true) => return Ok(()),
            Ok(false) => tried.push("the agent's keys were refused".to_owned()),
            Err(why) => tried.push(why),
        }
    }
    for key in &hop.keys {
        match by_key(handle, hop, key, rsa).await {
            Ok(true) => return Ok(()),
            Ok(false) => tried.push(format!("the key {} was refused", key.path.display())),
            Err(why) => tried.push(why),
        }
    }
    let why = match tried.as_slice() {
        [] => "there is no key to show: add one to the agent, or name an `IdentityFile`".to_owned(),
        tried => tried.join("; "),
    };
    Err(format!("refuses the login of user `{}`: {why}", hop.user))
}

async fn by_key<H: Handler>(
    handle: &mut Handle<H>,
    hop: &Hop,
    key: &SshKey,
    rsa: Option<HashAlg>,
) -> Result<bool, String> {
    let passphrase = key.passphrase.as_ref().map(|secret| secret.reveal());
    let path = key.path.display();
    let secret = decode_secret_key(key.text.reveal(), passphrase).map_err(|error| {
        match (error, passphrase) {
            (russh::keys::Error::KeyIsEncrypted, None) => format!(
                "the key {path} is locked: add it to the agent, or give its passphrase as \
                 IDEMSCOPE_SSH_PASSPHRASE"
            ),
            (_, Some(_)) => format!("the key {path} does not open with this passphrase"),
            (error, None) => format!("the key {path} cannot be read: {error}"),
        }
    })?;
    let shown = PrivateKeyWithHashAlg::new(Arc::new(secret), rsa);
    let answer = handle.authenticate_publickey(&hop.user, shown).await;
    told(answer.map_err(|error| error.to_string()))
}

async fn by_agent<H: Handler>(
    handle: &mut Handle<H>,
    hop: &Hop,
    path: &Path,
    rsa: Option<HashAlg>,
) -> Result<bool, String> {
    let mut agent = AgentClient::connect_uds(path)
        .await
        .map_err(|_| "no agent answers at SSH_AUTH_SOCK".to_owned())?;
    let held = agent
        .request_identities()
        .await
        .map_err(|error| format!("the agent does not tell its keys: {error}"))?;
    let own: Vec<PublicKey> = hop.keys.iter().filter_map(public).collect();
    let keys = held.into_iter().filter_map(|identity| match identity {
        AgentIdentity::PublicKey { key, .. } => Some(key),
        AgentIdentity::Certificate { .. } => None,
    });
    let is_meant = |key: &PublicKey| {
        !hop.only_these_keys || own.iter().any(|own| own.key_data() == key.key_data())
    };
    for key in keys.filter(is_meant).take(AGENT_KEYS_MAX) {
        let hash = match key.algorithm().is_rsa() {
            true => rsa,
            false => None,
        };
        let answer = handle
            .authenticate_publickey_with(&hop.user, key, hash, &mut agent)
            .await;
        if told(answer.map_err(|error| format!("the agent does not sign: {error}")))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The public half, which most formats tell even of a locked key.
fn public(key: &SshKey) -> Option<PublicKey> {
    let open = || PrivateKey::from_openssh(key.text.reveal()).ok();
    let passphrase = key.passphrase.as_ref().map(|secret| secret.reveal());
    let secret = decode_secret_key(key.text.reveal(), passphrase);
    let secret = secret.ok().or_else(open)?;
    Some(secret.public_key().clone())
}

fn told(answer: Result<AuthResult, String>) -> Result<bool, String> {
    match answer {
        Ok(AuthResult::Success) => Ok(true),
        Ok(AuthResult::Failure {
            partial_success: true,
            ..
        }) => Err("the host wants more than a key, which is not served".to_owned()),
        Ok(AuthResult::Failure { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
