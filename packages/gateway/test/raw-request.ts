import { connect } from 'node:net';

/** What came back over a socket before it was closed. */
export interface RawAnswer {
  /** Statuses of all answers, in order. */
  readonly statuses: readonly number[];
  readonly text: string;
}

/**
 * Sends bytes as they are, and reads until the server closes the connection.
 *
 * @param options.then  Sent when the first answer has begun.
 */
export function rawRequest(port: number, bytes: string, { then }: { readonly then?: string } = {}): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = '';
    let isAnswered = false;
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(bytes));
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (!isAnswered && then !== undefined) socket.write(then);
      isAnswered = true;
    });
    // A server that is cross resets the connection, also while it is written to.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
      resolve({ statuses, text });
    });
  });
}
