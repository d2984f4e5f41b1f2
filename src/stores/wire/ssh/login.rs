//! Signs in at an SSH host: with the keys that are named for it, then with those of an agent, then
//! with those that lie where keys lie.
//!
//! Apart from the tunnel because what is tried, and why it failed, is a story of its own. A host
//! counts refusals and ends the line after a few, so that the order is most of it.

use std::sync::Arc;

use russh::client::{AuthResult, Handle, Handler};
use russh::keys::agent::AgentIdentity;
use russh::keys::agent::client::AgentClient;
use russh::keys::{HashAlg, PrivateKey, PrivateKeyWithHashAlg, PublicKey, decode_secret_key};
use russh::{SendError, Signer};
use tokio::net::UnixStream;

use crate::stores::target::{Hop, KeyOrigin, SshKey};

/// Keys of an agent that nothing names for the host.
const OTHERS_MAX: usize = 6;

/// Why nobody got in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A sentence after the host's name.
    pub why: String,
    /// A passphrase would open another key.
    pub wants_passphrase: bool,
}

/// A key to show, and who signs with it.
enum Try<'k> {
    Agent(PublicKey),
    File(&'k SshKey),
}

/// Errors: nobody got in.
pub async fn sign_in<H: Handler>(handle: &mut Handle<H>, hop: &Hop) -> Result<(), Refusal> {
    let rsa = handle
        .best_supported_rsa_hash()
        .await
        .ok()
        .flatten()
        .flatten();
    let mut refusal = Refusal {
        why: String::new(),
        wants_passphrase: false,
    };
    let mut tried: Vec<String> = Vec::new();
    let mut agent = match Agent::of(hop).await {
        Ok(agent) => agent,
        Err(why) => {
            tried.push(why);
            None
        }
    };
    let held = agent.as_ref().map_or(&[][..], |agent| &agent.held);
    let tries = in_order(hop, held);
    let mut refused_by_agent = 0;
    for one in tries {
        if handle.is_closed() {
            tried.push("the host ended the line after so many keys".to_owned());
            break;
        }
        let (answer, name) = match (&one, agent.as_mut()) {
            (Try::Agent(key), Some(agent)) => (agent.show(handle, hop, key, rsa).await, None),
            (Try::File(key), _) => match open(key) {
                Ok(secret) => (show(handle, hop, secret, rsa).await, Some(&key.path)),
                Err(Unopened::Locked(why)) => {
                    refusal.wants_passphrase = true;
                    (Err(why), None)
                }
                Err(Unopened::Unreadable(why)) => (Err(why), None),
            },
            (Try::Agent(_), None) => continue,
        };
        match (answer, name) {
            (Ok(true), _) => return Ok(()),
            (Ok(false), Some(path)) => {
                tried.push(format!("the key {} was refused", path.display()))
            }
            (Ok(false), None) => refused_by_agent += 1,
            (Err(why), _) => tried.push(why),
        }
    }
    if refused_by_agent > 0 {
        tried.insert(0, "the agent's keys were refused".to_owned());
    }
    let why = match tried.as_slice() {
        [] => "there is no key to show: add one to the agent, or name an `IdentityFile`".to_owned(),
        tried => tried.join("; "),
    };
    refusal.why = format!("refuses the login of user `{}`: {why}", hop.user);
    Err(refusal)
}

/// What is named for the host, then the agent's others, then what lies in the usual places. A key
/// that the agent holds is signed with there, and not asked for its passphrase.
fn in_order<'k>(hop: &'k Hop, held: &[PublicKey]) -> Vec<Try<'k>> {
    let is_held = |key: &PublicKey| held.iter().any(|held| held.key_data() == key.key_data());
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let mut own: Vec<PublicKey> = Vec::new();
    for key in &hop.keys {
        let half = public(key);
        match half {
            Some(half) if is_held(&half) => {
                first.push(Try::Agent(half.clone()));
                own.push(half);
            }
            _ if key.origin == KeyOrigin::Named => first.push(Try::File(key)),
            // Of a usual key of which only the public half lies there nobody has spoken.
            _ if key.text.reveal().is_empty() => {}
            _ => last.push(Try::File(key)),
        }
    }
    let is_own = |key: &&PublicKey| own.iter().any(|own| own.key_data() == key.key_data());
    if !hop.only_these_keys {
        let others = held.iter().filter(|key| !is_own(key)).take(OTHERS_MAX);
        first.extend(others.map(|key| Try::Agent(key.clone())));
    }
    first.extend(last);
    first
}

enum Unopened {
    Locked(String),
    Unreadable(String),
}

fn open(key: &SshKey) -> Result<PrivateKey, Unopened> {
    let passphrase = key.passphrase.as_ref().map(|secret| secret.reveal());
    let path = key.path.display();
    if key.text.reveal().is_empty() {
        let why = format!("the key {path} is not there, and no agent holds it");
        return Err(Unopened::Unreadable(why));
    }
    decode_secret_key(key.text.reveal(), passphrase).map_err(|error| match (error, passphrase) {
        (russh::keys::Error::KeyIsEncrypted, None) => Unopened::Locked(format!(
            "the key {path} is locked: add it to the agent, or give its passphrase as \
             IDEMSCOPE_SSH_PASSPHRASE"
        )),
        (_, Some(_)) => {
            Unopened::Locked(format!("the key {path} does not open with this passphrase"))
        }
        (error, None) => Unopened::Unreadable(format!("the key {path} cannot be read: {error}")),
    })
}

async fn show<H: Handler>(
    handle: &mut Handle<H>,
    hop: &Hop,
    secret: PrivateKey,
    rsa: Option<HashAlg>,
) -> Result<bool, String> {
    let shown = PrivateKeyWithHashAlg::new(Arc::new(secret), rsa);
    let answer = handle.authenticate_publickey(&hop.user, shown).await;
    told(answer.map_err(|error| error.to_string()))
}

/// An agent and the keys that it holds.
struct Agent {
    client: AgentClient<UnixStream>,
    held: Vec<PublicKey>,
}

impl Agent {
    async fn of(hop: &Hop) -> Result<Option<Agent>, String> {
        let Some(path) = &hop.agent else {
            return Ok(None);
        };
        let mut client = AgentClient::connect_uds(path)
            .await
            .map_err(|_| "no agent answers at SSH_AUTH_SOCK".to_owned())?;
        let held = client
            .request_identities()
            .await
            .map_err(|error| format!("the agent does not tell its keys: {error}"))?;
        let keys = held.into_iter().filter_map(|identity| match identity {
            AgentIdentity::PublicKey { key, .. } => Some(key),
            AgentIdentity::Certificate { .. } => None,
        });
        let held = keys.collect();
        Ok(Some(Agent { client, held }))
    }

    async fn show<H: Handler>(
        &mut self,
        handle: &mut Handle<H>,
        hop: &Hop,
        key: &PublicKey,
        rsa: Option<HashAlg>,
    ) -> Result<bool, String> {
        let hash = rsa.filter(|_| key.algorithm().is_rsa());
        let mut signing = Signing {
            client: &mut self.client,
            why: None,
        };
        let answer = handle
            .authenticate_publickey_with(&hop.user, key.clone(), hash, &mut signing)
            .await;
        let why = signing.why;
        match (told(answer.map_err(|error| error.to_string())), why) {
            (Ok(false), Some(why)) => Err(format!("the agent does not sign: {why}")),
            (answer, _) => answer,
        }
    }
}

/// Signs with an agent. Where that fails something is sent all the same, since the session waits for
/// it: a signature that fits nothing is refused, and the next key is shown.
struct Signing<'a> {
    client: &'a mut AgentClient<UnixStream>,
    why: Option<String>,
}

impl Signer for Signing<'_> {
    type Error = SendError;

    async fn auth_sign(
        &mut self,
        key: &AgentIdentity,
        hash: Option<HashAlg>,
        to_sign: Vec<u8>,
    ) -> Result<Vec<u8>, SendError> {
        let signed = self.client.sign_request(key, hash, to_sign.clone()).await;
        Ok(signed.unwrap_or_else(|error| {
            self.why = Some(error.to_string());
            [to_sign, no_signature()].concat()
        }))
    }
}

/// A signature of nothing, in the form of RFC 4253, section 6.6.
fn no_signature() -> Vec<u8> {
    let text = |bytes: &[u8]| {
        let length = u32::try_from(bytes.len()).unwrap_or_default();
        [&length.to_be_bytes()[..], bytes].concat()
    };
    text(&[text(b"ssh-ed25519"), text(&[0; 64])].concat())
}

/// The public half, which a file beside it or most formats tell even of a locked key.
fn public(key: &SshKey) -> Option<PublicKey> {
    let text = key.text.reveal();
    let beside = || PublicKey::from_openssh(key.public.as_deref()?.trim()).ok();
    let within = || {
        let secret = PrivateKey::from_openssh(text).ok();
        let passphrase = key.passphrase.as_ref().map(|secret| secret.reveal());
        let secret = secret.or_else(|| decode_secret_key(text, passphrase).ok())?;
        Some(secret.public_key().clone())
    };
    // A public key may be named itself, where an agent has the other half.
    let itself = || PublicKey::from_openssh(text.trim()).ok();
    within().or_else(itself).or_else(beside)
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
