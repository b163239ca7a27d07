//! Queries a schema registry (CONTRACTS 1) for the schemas of messages. The fetching thread queries
//! one schema at a time; the size of an answer is limited, and no answer is ever printed.

use std::time::Duration;

use reqwest::{Certificate, Client, Response, StatusCode};
use serde::Deserialize;

use super::avro::SchemaKey;
use super::errors;
use super::schemas::KnownSchema;
use crate::config::{RegistrySettings as Settings, is_local, parts};
use crate::error::{Complaint, Error, ErrorCategory, Result};
use crate::small_file;
use crate::web::{Web, why};

/// The timeout of an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of an answer.
const LONGEST: usize = 1 << 22;
/// The most schemas that one refers to, directly and indirectly.
const MOST_REFERRED: usize = 256;

/// A registry.
pub(super) struct SchemaRegistry {
    web: Web,
    url: String,
    login: Option<(String, String)>,
}

/// Why there is no answer.
pub(super) enum RegistryError {
    /// Trying again may help.
    Away(Complaint),
    /// The operator has to act.
    Failed(Error),
    /// The thread was told to end.
    Ending,
}

/// A schema in a registry's answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    schema: String,
    schema_type: Option<String>,
    #[serde(default)]
    references: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    subject: String,
    version: u32,
}

/// A registry's answer that a schema does not exist.
#[derive(Deserialize)]
struct Refusal {
    error_code: u32,
}

impl SchemaRegistry {
    /// Does not connect yet.
    ///
    /// # Errors
    /// A secret or a certificate cannot be read.
    pub(super) fn new(settings: &Settings) -> Result<SchemaRegistry> {
        let field = "source.schema_registry";
        let mut client = Client::builder()
            .timeout(PATIENCE)
            .no_proxy()
            .pool_max_idle_per_host(0);
        if let Some(file) = &settings.ca {
            let ca = format!("{field}.ca");
            let text = small_file::bytes(file, "read the certificate", small_file::CERTIFICATES);
            let text = text.map_err(|error| error.in_field(&*ca))?;
            let none = |_| {
                Error::new(ErrorCategory::Feed, "the file contains no certificate")
                    .in_file(file)
                    .in_field(&*ca)
            };
            client = client.tls_certs_only(Certificate::from_pem_bundle(&text).map_err(none)?);
        }
        let web = Web::new(client, field)?;
        let url = settings
            .url
            .read()
            .map_err(|error| error.in_field(format!("{field}.url")))?;
        let (scheme, host) = parts(&url).unwrap_or_default();
        if scheme != "https" && (scheme != "http" || !is_local(host) && !settings.allow_plaintext) {
            let text = "schemas and passwords would travel to another host unencrypted, or not at all: the address \
                        must begin with https, or `allow_plaintext = true` must be in [source]";
            return Err(Error::new(ErrorCategory::Feed, text).in_field(format!("{field}.url")));
        }
        let login = match &settings.login {
            Some((user, password)) => {
                let password = password
                    .read()
                    .map_err(|error| error.in_field(format!("{field}.password")))?;
                Some((user.clone(), password))
            }
            None => None,
        };
        Ok(SchemaRegistry {
            web,
            url: url.trim_end_matches('/').to_owned(),
            login,
        })
    }

    /// A schema from the registry; `None` if it does not have the schema, or not yet one that it
    /// refers to.
    pub(super) fn ask(
        &self,
        key: SchemaKey,
        ends: impl Fn() -> bool,
    ) -> std::result::Result<Option<KnownSchema>, RegistryError> {
        self.web
            .wait(self.schema(key), ends)
            .unwrap_or(Err(RegistryError::Ending))
    }

    async fn schema(
        &self,
        key: SchemaKey,
    ) -> std::result::Result<Option<KnownSchema>, RegistryError> {
        let Some(answer) = self.get(&format!("schemas/{key}")).await? else {
            return Ok(None);
        };
        let Some(answer) = answer else {
            return Ok(Some(KnownSchema::Strange));
        };
        if answer
            .schema_type
            .as_deref()
            .is_some_and(|kind| kind != "AVRO")
        {
            return Ok(Some(KnownSchema::Strange));
        }
        // Each schema comes after those that it refers to.
        let (mut referred, mut done, mut open) = (Vec::new(), Vec::new(), Vec::new());
        open.extend(answer.references.into_iter().rev().map(|one| (one, None)));
        while let Some((Reference { subject, version }, text)) = open.pop() {
            if let Some(text) = text {
                referred.push(text);
                continue;
            }
            if done.contains(&(subject.clone(), version)) {
                continue;
            }
            done.push((subject.clone(), version));
            if done.len() > MOST_REFERRED {
                return Ok(Some(KnownSchema::Strange));
            }
            let place = format!(
                "subjects/{}/versions/{version}?deleted=true",
                escaped(&subject)
            );
            // It may be registered later, like an unknown schema: neither result is cached
            // permanently.
            let Some(found) = self.get(&place).await? else {
                return Ok(None);
            };
            let Some(found) = found else {
                return Ok(Some(KnownSchema::Strange));
            };
            open.push((Reference { subject, version }, Some(found.schema)));
            open.extend(found.references.into_iter().rev().map(|one| (one, None)));
        }
        Ok(Some(KnownSchema::Avro {
            text: answer.schema,
            referred,
        }))
    }

    /// An answer; the inner value is `None` if it is too long. `None`: it does not exist.
    async fn get(&self, place: &str) -> std::result::Result<Option<Option<Answer>>, RegistryError> {
        let mut request = self.web.client.get(format!("{}/{}", self.url, place));
        if let Some((user, password)) = &self.login {
            request = request.basic_auth(user, Some(password));
        }
        let mut response = request.send().await.map_err(|error| away(&error))?;
        let status = response.status();
        let no_registry = || RegistryError::Failed(errors::no_registry(status.as_u16()));
        match status {
            StatusCode::OK => {
                let Some(body) = body(&mut response).await? else {
                    return Ok(Some(None));
                };
                serde_json::from_slice(&body)
                    .map(|answer| Some(Some(answer)))
                    .map_err(|_| no_registry())
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(RegistryError::Failed(errors::registry_refuses()))
            }
            StatusCode::NOT_FOUND => {
                let body = body(&mut response).await?.unwrap_or_default();
                let code = serde_json::from_slice(&body).map(|Refusal { error_code }| error_code);
                // A missing page is not the same as a missing schema.
                if matches!(code, Ok(40401..=40403)) {
                    Ok(None)
                } else {
                    Err(no_registry())
                }
            }
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Err(busy(status)),
            status if status.is_server_error() => Err(busy(status)),
            _ => Err(no_registry()),
        }
    }
}

/// The content of a response; `None` if it is too long.
async fn body(response: &mut Response) -> std::result::Result<Option<Vec<u8>>, RegistryError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| away(&error))? {
        if body.len() + chunk.len() > LONGEST {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

fn busy(status: StatusCode) -> RegistryError {
    RegistryError::Away(Complaint::of(&format!("it answers {}", status.as_u16())))
}

fn away(error: &reqwest::Error) -> RegistryError {
    RegistryError::Away(why(error))
}

/// A step of an address, with special characters escaped.
fn escaped(step: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let escape = |byte: u8| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    step.bytes().map(escape).collect()
}
