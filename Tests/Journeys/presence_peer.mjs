// What bench_sync.py compares presence with: a program in node that keeps the latest of each socket, and every
// 33 ms sends to each what changed of the others. It speaks WebSocket (RFC 6455) as far as the bench does.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const sockets = new Map(); // to what each says, where that has changed
let due = null;
let told = 0;

const frame = (payload) => payload.length < 126
  ? Buffer.concat([Buffer.from([0x82, payload.length]), payload])
  : Buffer.concat([Buffer.from([0x82, 126, payload.length >> 8, payload.length & 255]), payload]);

/** The payloads of whole frames, which are short and masked with zeros, and the bytes that are left. */
function read(bytes) {
  const payloads = [];
  while (bytes.length >= 2 && bytes.length >= 6 + (bytes[1] & 127)) {
    const end = 6 + (bytes[1] & 127);
    payloads.push(bytes.subarray(6, end));
    bytes = bytes.subarray(end);
  }
  return { payloads, rest: bytes };
}

function tell() {
  due = null;
  told = performance.now();
  const news = [...sockets].filter(([, said]) => said);
  for (const [socket] of sockets) {
    const others = news.filter(([speaker]) => speaker !== socket).map(([, said]) => said);
    if (others.length) socket.write(frame(Buffer.concat(others)));
  }
  for (const [socket] of news) sockets.set(socket, null);
}

createServer().on('upgrade', (request, socket) => {
  const accept = createHash('sha1')
    .update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.setNoDelay(true);
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
    + `Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
  sockets.set(socket, null);
  let left = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    const { payloads, rest } = read(Buffer.concat([left, bytes]));
    left = rest;
    if (!payloads.length) return;
    sockets.set(socket, payloads.at(-1));
    due ??= setTimeout(tell, Math.max(0, 33 - (performance.now() - told)));
  });
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => {});
}).listen(Number(process.argv[2]), '127.0.0.1');
