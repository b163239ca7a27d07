"""S3 as moto serves it, on a free port of this machine. Prints the port when a bucket is there; ends with its input."""

import sys
import threading
import urllib.request

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

moto = DomainDispatcherApplication(create_backend_app)
one_at_a_time = threading.Lock()


def application(environ, start_response):
    """moto looks for a name and takes it in two steps; a store that keeps its word does both in one."""
    if environ["REQUEST_METHOD"] in ("PUT", "DELETE"):
        with one_at_a_time:
            return moto(environ, start_response)
    return moto(environ, start_response)


class Quiet(MotoRequestHandler):
    def log(self, *_):
        pass


server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
bucket = f"http://127.0.0.1:{server.port}/bucket"
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(urllib.request.Request(bucket, method="PUT")).read()
print(server.port, flush=True)
sys.stdin.read()
