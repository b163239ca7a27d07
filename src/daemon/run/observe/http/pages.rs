//! The pages and their answers. If tokens are required, a reader without one learns only that the
//! process runs, and not even which other pages there are.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, WWW_AUTHENTICATE,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::http_port::{HttpPort, refused};
use super::stream::LimitedListener;
use super::tokens::Tokens;
use crate::error::Result;
use crate::observe::events::Listening;
use crate::observe::observer::Observer;

const LIVE: &str = "/health/live";
const READY: &str = "/health/ready";
const METRICS: &str = "/metrics";

/// The time that answers in progress have when the daemon ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// Answers requests until `shutdown` is ready.
///
/// # Errors
/// The runtime cannot take over the port.
pub async fn serve(
    door: HttpPort,
    observer: Arc<Observer>,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let HttpPort {
        listener,
        address,
        tokens,
    } = door;
    let listener =
        tokio::net::TcpListener::from_std(listener).map_err(|error| refused(address, &error))?;
    observer.emit(&Listening {
        address,
        tokens: tokens.are_required(),
    });
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let until = async move {
        shutdown.await;
        drop(end);
    };
    let server = axum::serve(LimitedListener::new(listener), router(observer, tokens))
        .with_graceful_shutdown(until);
    tokio::select! {
        answered = server => answered.map_err(|error| refused(address, &error)),
        () = async {
            let _ = ended.await;
            tokio::time::sleep(FAREWELL).await;
        } => Ok(()),
    }
}

fn router(observer: Arc<Observer>, tokens: Tokens) -> Router {
    Router::new()
        .route(LIVE, get(live))
        .route(READY, get(ready))
        .route(METRICS, get(metrics))
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is no such page\n") })
        .method_not_allowed_fallback(|| async {
            (StatusCode::METHOD_NOT_ALLOWED, "pages are read only\n")
        })
        .layer(middleware::from_fn_with_state(Arc::new(tokens), guard))
        .layer(middleware::map_response(close))
        .with_state(observer)
}

async fn live() -> &'static str {
    "live\n"
}

async fn ready(State(observer): State<Arc<Observer>>) -> Response {
    let health = observer.health();
    let status = if health.ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let body = serde_json::to_string(&health).expect("serialisation failed (this is a bug)") + "\n";
    (status, [(CONTENT_TYPE, "application/json")], body).into_response()
}

async fn metrics(State(observer): State<Arc<Observer>>) -> Response {
    let form = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(CONTENT_TYPE, form)], observer.metrics()).into_response()
}

/// Checks the token before it answers. The page that says that the process runs needs none, since
/// the cluster that reads it has none.
async fn guard(State(tokens): State<Arc<Tokens>>, request: Request, next: Next) -> Response {
    let shown = request
        .headers()
        .get(AUTHORIZATION)
        .map(HeaderValue::as_bytes);
    if request.uri().path() == LIVE || tokens.open(shown) {
        return next.run(request).await;
    }
    let asks = [(WWW_AUTHENTICATE, "Bearer")];
    (
        StatusCode::UNAUTHORIZED,
        asks,
        "a token is required: Authorization: Bearer …\n",
    )
        .into_response()
}

/// One request and one answer per connection; caches must not store it.
async fn close(mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
