//! Chromium without a window, controlled over its DevTools protocol through two pipes: one page at
//! a time, with the page's network requests and console messages.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// The protocol uses descriptors 3 and 4, which only a shell sets without unsafe code.
const START: &str = "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null";
/// Options that keep the browser off the network, and let it run without a display, rights or large
/// shared memory.
const OPTIONS: [&str; 9] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--no-first-run",
    "--hide-scrollbars",
];
/// As long as `common::wait` waits.
const PATIENCE: Duration = Duration::from_secs(600);

/// A browser with one tab. It ends when this is dropped: the pipes close.
pub struct Browser {
    process: Child,
    pipe: Option<ChildStdin>,
    answers: Receiver<Json>,
    session: Option<String>,
    calls: u64,
    events: Vec<Json>,
    _profile: TempDir,
}

impl Browser {
    /// Whether Chromium is installed.
    pub fn is_there() -> bool {
        Command::new("chromium")
            .arg("--version")
            .output()
            .is_ok_and(|output| output.status.success())
    }

    /// Starts one with an empty profile.
    pub fn start() -> Browser {
        let profile = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("sh");
        command
            .args(["-c", START, "sh"])
            .args(OPTIONS)
            .arg("about:blank");
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        // The home of the user who runs the tests stays unchanged.
        command
            .env("HOME", profile.path())
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_CACHE_HOME");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command.spawn().expect("a shell");
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while output
                .read_until(0, &mut message)
                .is_ok_and(|bytes| bytes > 0)
            {
                let json = serde_json::from_slice(&message[..message.len() - 1])
                    .expect("a message in JSON");
                if send.send(json).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let pipe = process.stdin.take();
        let events = Vec::new();
        let mut browser = Browser {
            process,
            pipe,
            answers,
            session: None,
            calls: 0,
            events,
            _profile: profile,
        };
        let target =
            browser.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let tab = browser.call(
            "Target.attachToTarget",
            json!({"targetId": target, "flatten": true}),
        );
        browser.session = tab["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method of the protocol.
    pub fn call(&mut self, method: &str, parameters: Json) -> Json {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let pipe = self.pipe.as_mut().expect("open until the end");
        pipe.write_all(format!("{message}\0").as_bytes())
            .expect("Chromium takes calls");
        loop {
            let answer = self.next(method);
            if answer["id"] == self.calls {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    fn next(&mut self, awaited: &str) -> Json {
        self.answers
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("Chromium does not answer {awaited}: {error}"))
    }

    /// Opens a page and waits until it has loaded. Messages of the previous page are forgotten.
    pub fn open(&mut self, page: &Path) {
        self.events.clear();
        let answer = self.call(
            "Page.navigate",
            json!({"url": format!("file://{}", page.display())}),
        );
        assert!(
            answer["errorText"].is_null(),
            "{}: {answer}",
            page.display()
        );
        while !self
            .events
            .iter()
            .any(|event| event["method"] == "Page.loadEventFired")
        {
            let event = self.next("Page.navigate");
            self.events.push(event);
        }
    }

    /// The value of an expression in the page; a promise is awaited.
    pub fn value(&mut self, expression: &str) -> Json {
        let wanted = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", wanted);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].clone()
    }

    /// Shows the page in this width in pixels, on a medium, in a colour scheme.
    pub fn show(&mut self, width: u32, medium: &str, colours: &str) {
        let size = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let feature = json!([{"name": "prefers-color-scheme", "value": colours}]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({"media": medium, "features": feature}),
        );
    }

    /// The page as a PDF, on the paper that the page asks for.
    pub fn print(&mut self) -> Vec<u8> {
        let answer = self.call(
            "Page.printToPDF",
            json!({"preferCSSPageSize": true, "printBackground": true}),
        );
        openssl::base64::decode_block(answer["data"].as_str().expect("text")).expect("base64")
    }

    /// What a self-contained page never causes: further requests, console messages, exceptions.
    pub fn noise(&self) -> Vec<String> {
        let of = |event: &Json| match event["method"].as_str()? {
            "Network.requestWillBeSent" if event["params"]["type"] != "Document" => {
                Some(format!("asks for {}", event["params"]["request"]["url"]))
            }
            "Runtime.exceptionThrown" => {
                Some(format!("throws {}", event["params"]["exceptionDetails"]))
            }
            "Runtime.consoleAPICalled" | "Log.entryAdded" => {
                Some(format!("tells the console {}", event["params"]))
            }
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // The profile is removed after the browser has closed it.
        _ = self.process.wait();
    }
}
