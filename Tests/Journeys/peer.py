"""The peers of the bench: the least that could do the same, in Python, keeping nothing."""

import asyncio
import contextlib
import http
import http.server
import json
import statistics
import threading

from websockets.asyncio.server import broadcast as to_all
from websockets.asyncio.server import serve

from journey import until

_BROADCAST = """(port) => {
  document.body.innerHTML = '<input type=file><div></div>';
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  socket.binaryType = 'arraybuffer';
  let expected;
  window.expect = (text) => { expected = text; window.heard = 0; };
  window.write = (text) => { const now = Date.now(); socket.send(text); return now; };
  document.querySelector('input').onchange = async ({ target }) => {
    socket.send(await target.files[0].arrayBuffer());
    target.value = '';
  };
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') {
      document.querySelector('div').textContent = data;
      if (data === expected) window.heard = Date.now();
    } else {
      const image = new Image(320);
      image.src = URL.createObjectURL(new Blob([data], { type: 'image/jpeg' }));
      document.querySelector('div').replaceChildren(image);
    }
  };
  return new Promise((resolve) => { socket.onopen = () => resolve(); });
}"""


@contextlib.contextmanager
def broadcast():
    """A server that passes every message on to everyone else; its port."""
    everyone, started, loop = set(), threading.Event(), asyncio.new_event_loop()
    found = {}

    async def welcome(socket):
        everyone.add(socket)
        try:
            async for message in socket:
                to_all(everyone - {socket}, message)
        finally:
            everyone.discard(socket)

    def page(connection, request):
        if "Upgrade" in request.headers:
            return None
        answer = connection.respond(http.HTTPStatus.OK, "<!doctype html><title>Plain</title>")
        del answer.headers["Content-Type"]
        answer.headers["Content-Type"] = "text/html"
        return answer

    async def run():
        found["stop"] = loop.create_future()
        async with serve(welcome, "127.0.0.1", 0, max_size=None, compression=None,
                         process_request=page) as server:
            found["port"] = server.sockets[0].getsockname()[1]
            started.set()
            await found["stop"]
    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    started.wait()
    yield found["port"]
    loop.call_soon_threadsafe(found["stop"].set_result, None)
    thread.join(5)


def open_page(page, port):
    page.goto(f"http://127.0.0.1:{port}/")
    page.evaluate(_BROADCAST, port)


_PLAIN = b"""<!doctype html><title>Plain</title><body><script>
fetch('/records.json').then((answer) => answer.json()).then((records) => {
  records.reverse();
  for (const { preview, width, height, caption } of records.slice(0, 30)) {
    const image = new Image(width / 10, height / 10);
    image.alt = caption;
    image.src = `/previews/${preview}`;
    document.body.append(image);
  }
});
</script>"""


def first_photos(browser, previews, count, visits):
    """The median of visits to a plain page of `count` records, in milliseconds."""
    records = [{
        "id": f"{number:032x}", "original": f"{number:064x}", "size": 1_000_000,
        "preview": number % len(previews), "width": 2000, "height": 3000, "caption": "",
        "takenAt": 1_780_000_000_000 + number, "fileName": f"IMG_{number:05}.jpg",
        "contentType": "image/jpeg", "color": 0x808080} for number in range(count)]
    body = json.dumps(records).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            data = (body if self.path == "/records.json" else
                    previews[int(self.path.rsplit("/", 1)[1])] if "/previews/" in self.path
                    else _PLAIN)
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if data is _PLAIN else "image/jpeg")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_):
            """A browser that has seen enough hangs up."""
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    times = []
    for _ in range(visits):
        context = browser.new_context()
        page = context.new_page()
        page.add_init_script("""window.first = 0; document.addEventListener('load', ({ target }) =>
            target.tagName === 'IMG' && target.decode().then(() => {
                window.first ||= performance.now(); }), true);""")
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        times.append(until(lambda: page.evaluate("window.first"), "No picture came", page=lambda: page))
        context.close()
    server.shutdown()
    return statistics.median(times)
