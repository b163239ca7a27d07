//! An S3 server by other authors, for as long as a test runs. It ends with the test, also when that
//! is killed: its input is closed then.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tidegate::daemon::journal::store::{Bucket, BucketTimeouts, Variables};

use super::needs;

/// A running server with one bucket, called `bucket`.
pub struct Server {
    child: Child,
    /// Its address.
    pub address: SocketAddr,
}

impl Server {
    /// Starts one; None, with a message, if it is not installed.
    pub fn start() -> Option<Server> {
        let python = needs::tool("TIDEGATE_PYTHON")?;
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/server.py");
        let mut command = Command::new(&python);
        command
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{} cannot be started: {error}", python.display()));
        let mut said = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output)
            .read_line(&mut said)
            .expect("its output can be read");
        let port: u16 = said
            .trim()
            .parse()
            .unwrap_or_else(|_| panic!("{} has no moto: see above", python.display()));
        Some(Server {
            child,
            address: SocketAddr::from(([127, 0, 0, 1], port)),
        })
    }
}

impl Server {
    /// Stops it until it is continued; it handles requests of this time afterwards.
    pub fn stops(&self) {
        self.signal(Signal::STOP);
    }

    pub fn continues(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("a signal");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The environment variables for a server at this address.
pub fn variables(address: SocketAddr) -> Variables {
    let all = [
        ("TIDEGATE_PRIVATE_AWS_ACCESS_KEY_ID", "somebody".to_owned()),
        (
            "TIDEGATE_PRIVATE_AWS_SECRET_ACCESS_KEY",
            "planted-secret".to_owned(),
        ),
        ("AWS_ENDPOINT_URL", format!("http://{address}")),
        ("AWS_REGION", "us-east-1".to_owned()),
    ];
    Variables::new(true, all.map(|(name, value)| (name.to_owned(), value)))
}

/// A folder of the bucket at this address.
pub fn bucket(address: SocketAddr, folder: &str, patience: BucketTimeouts) -> Bucket {
    let url = format!("s3://bucket/{folder}");
    Bucket::open_with(&url, &variables(address), patience).unwrap_or_else(|error| panic!("{error}"))
}
