//! Roots that two writers share: folders whose lock is open to both (`common/points.h`), or buckets
//! of a server by other authors, which have none.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use serde_json::Value as Json;
use tidegate::daemon::journal::store::{Bucket, BucketTimeouts, ReadStore as _, Store};

use super::place::{Daemon, Place, answer, log_in};
use super::server::{Server, bucket};
use super::shim::Shim;

/// A folder with two roots.
pub struct Roots<'a> {
    pub place: Place,
    lie: Lie<'a>,
}

enum Lie<'a> {
    Folders(&'a Shim),
    Buckets {
        server: &'a Server,
        private: Arc<dyn Store>,
        public: Bucket,
    },
}

impl Roots<'_> {
    /// Roots in folders.
    pub fn folders(shim: &Shim, place: Place) -> Roots<'_> {
        Roots {
            place,
            lie: Lie::Folders(shim),
        }
    }

    /// Roots in folders of a bucket, which no other test uses.
    pub fn buckets(server: &Server, place: Place) -> Roots<'_> {
        let own = place.path("");
        let own = own
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name")
            .trim_start_matches('.')
            .to_owned();
        for root in ["private", "public"] {
            place.edit(
                &format!("{root} = \"{root}\""),
                &format!("{root} = \"s3://bucket/{own}/{root}\""),
            );
        }
        let open = |root: &str| {
            bucket(
                server.address,
                &format!("{own}/{root}"),
                BucketTimeouts::default(),
            )
        };
        let (private, public): (Arc<dyn Store>, Bucket) =
            (Arc::new(open("private")), open("public"));
        Roots {
            place,
            lie: Lie::Buckets {
                server,
                private,
                public,
            },
        }
    }

    /// A command about the feed.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.place.command(args);
        if let Lie::Buckets { server, .. } = &self.lie {
            let endpoint = format!("http://{}", server.address);
            command
                .env("AWS_ENDPOINT_URL", endpoint)
                .env("AWS_REGION", "us-east-1")
                .env("NO_PROXY", "127.0.0.1");
            command
                .env("AWS_ACCESS_KEY_ID", "somebody")
                .env("AWS_SECRET_ACCESS_KEY", "something");
        }
        command
    }

    /// A command with `--json`: its exit code and its answer.
    pub fn json(&self, args: &[&str]) -> (i32, Json) {
        answer(
            &self
                .command(&[args, &["--json"]].concat())
                .output()
                .expect("it starts"),
        )
    }

    /// Another writer, whatever else is running.
    pub fn start(&self) -> Daemon {
        let mut command = self.command(&["run", "--exit-on-halt", "feed.toml"]);
        if let Lie::Folders(shim) = &self.lie {
            let watched = self.place.path("").canonicalize().expect("it is there");
            command
                .env("LD_PRELOAD", shim.path())
                .env("WATCHED", watched)
                .env("TRACE", "/dev/null")
                .env("UNLOCK", "1");
        }
        self.place.started(command)
    }

    /// The public root as a folder; no process is running.
    pub fn public(&self) -> PathBuf {
        let folder = self.place.public();
        if let Lie::Buckets { public, .. } = &self.lie {
            let _ = fs::remove_dir_all(&folder);
            for (path, bytes) in objects(public, "") {
                let path = folder.join(path);
                fs::create_dir_all(path.parent().expect("below a root")).expect("a folder");
                fs::write(path, bytes).expect("a file");
            }
        }
        folder
    }

    /// The log; no process is running.
    pub fn entries(&self) -> Vec<Json> {
        match &self.lie {
            Lie::Folders(_) => self.place.log(),
            Lie::Buckets { private, .. } => log_in(Arc::clone(private)),
        }
    }

    /// The longest useful wait for these roots, in milliseconds.
    pub fn longest(&self) -> u64 {
        match &self.lie {
            Lie::Folders(_) => 400,
            Lie::Buckets { .. } => 2000,
        }
    }
}

fn objects(store: &Bucket, prefix: &str) -> Vec<(String, Vec<u8>)> {
    let listed = store.list(prefix).expect("a listing");
    let read = |path: String| {
        let bytes = store
            .read(&path)
            .expect("a read")
            .expect("an object that is listed");
        (path, bytes)
    };
    listed.into_iter().map(|listed| read(listed.path)).collect()
}
