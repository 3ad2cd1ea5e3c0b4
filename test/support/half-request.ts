/** A request that has begun when a server stops, and ends afterwards. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** Waits until a port takes no connection any more: the stop has begun. */
export async function refusesConnections(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const refused = await Promise.race([
      once(socket, 'connect').then(
        () => false,
        () => true,
      ),
      once(socket, 'error').then(() => true),
    ]);
    socket.destroy();
    if (refused) return;
  }
}

/**
 * Sends the head of a request without its end, and waits until the server has read it.
 * @returns ends the request and gives the status of its answer
 */
export async function beginRequest(port: number, path: string): Promise<() => Promise<number>> {
  const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  const [socket, other] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  socket.setEncoding('utf8');
  await Promise.all([once(socket, 'connect'), once(other, 'connect')]);
  socket.write(head);
  // What is sent after it is answered: then the server has read it.
  other.write(`${head}Connection: close\r\n\r\n`);
  await once(other, 'data');
  other.destroy();
  return async () => {
    socket.write('\r\n');
    const [answer] = (await once(socket, 'data')) as [string];
    socket.destroy();
    return Number(/^HTTP\/1.1 (\d+) /.exec(answer)?.[1]);
  };
}
