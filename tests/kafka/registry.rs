//! A schema registry by other authors, for as long as a test runs. It forgets everything when it is
//! killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value as Json, json};

use crate::common::needs;
use crate::common::ports::Ports;

/// A running registry.
pub struct Registry {
    program: PathBuf,
    ports: Ports,
    login: Option<&'static str>,
    behaving: Vec<String>,
    encrypted: Option<u16>,
    child: Option<Child>,
}

impl Registry {
    /// Starts one, which requires this header if there is one; None, with a message, if it cannot
    /// be built.
    pub fn start(login: Option<&'static str>) -> Option<Registry> {
        Registry::started(login, &[])
    }

    /// Starts one with this behaviour (`registry/main.go` lists the options).
    pub fn behaving(how: &[&str]) -> Option<Registry> {
        Registry::started(None, how)
    }

    fn started(login: Option<&'static str>, how: &[&str]) -> Option<Registry> {
        let program = built()?;
        let ports = Ports::take(1);
        let behaving = how.iter().map(|word| (*word).to_owned()).collect();
        let mut registry = Registry {
            program,
            ports,
            login,
            behaving,
            encrypted: None,
            child: None,
        };
        registry.begin();
        Some(registry)
    }

    /// Starts it again, without its data.
    pub fn begin(&mut self) {
        let mut command = Command::new(&self.program);
        let login = self.login.map(|login| format!("-auth={login}"));
        command
            .args(login)
            .args(&self.behaving)
            .arg(format!("127.0.0.1:{}", self.ports.first()));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut said = String::new();
        BufReader::new(child.stdout.take().expect("it is piped"))
            .read_line(&mut said)
            .expect("text");
        let mut words = said.split_whitespace();
        assert_eq!(words.next(), Some("ready"));
        self.encrypted = words.next().map(|port| port.parse().expect("a port"));
        self.child = Some(child);
    }

    /// Kills it.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("it was started");
            child.wait().expect("it ends");
        }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports.first())
    }

    /// Its address for TLS.
    pub fn encrypted(&self) -> String {
        format!(
            "https://127.0.0.1:{}",
            self.encrypted.expect("it speaks TLS")
        )
    }

    /// Registers a schema: its number.
    pub fn put(&self, subject: &str, schema: &str, references: Json) -> u32 {
        let body =
            json!({ "schema": schema, "schemaType": "AVRO", "references": references }).to_string();
        let answer = self.asked(&format!("POST /subjects/{subject}/versions"), &body);
        answer["id"].as_u64().unwrap_or_else(|| panic!("{answer}")) as u32
    }

    /// The number of a schema in all registries.
    pub fn guid(&self, subject: &str) -> [u8; 16] {
        let answer = self.asked(&format!("GET /subjects/{subject}/versions/latest"), "");
        let digits: Vec<u8> = answer["guid"]
            .as_str()
            .expect("a number")
            .bytes()
            .filter(|byte| *byte != b'-')
            .collect();
        let byte = |two: &[u8]| {
            let digit = |at: usize| char::from(two[at]).to_digit(16).expect("a digit") as u8;
            16 * digit(0) + digit(1)
        };
        digits
            .chunks(2)
            .map(byte)
            .collect::<Vec<u8>>()
            .try_into()
            .expect("16 bytes")
    }

    fn asked(&self, what: &str, body: &str) -> Json {
        let login = self
            .login
            .map(|login| format!("Authorization: {login}\r\n"))
            .unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.ports.first())).expect("it listens");
        let head = format!(
            "{what} HTTP/1.0\r\n{login}Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream
            .write_all((head + body).as_bytes())
            .expect("it reads");
        let mut said = String::new();
        stream.read_to_string(&mut said).expect("it answers");
        let answer = said.split("\r\n\r\n").nth(1).expect("an answer");
        serde_json::from_str(answer).unwrap_or_else(|_| panic!("{said}"))
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The program, built once.
fn built() -> Option<PathBuf> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("registry");
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kafka/registry");
        let go = Command::new("go")
            .args(["build", "-o"])
            .arg(&program)
            .arg(".")
            .current_dir(folder)
            .output();
        match go {
            Ok(go) if go.status.success() => Some(program),
            Ok(go) => panic!("{}", String::from_utf8_lossy(&go.stderr)),
            Err(_) => {
                needs::program("go", false);
                None
            }
        }
    };
    BUILT.get_or_init(build).clone()
}
