import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { GatewayLimits } from '../limits/gateway-limits.ts';

/** One event of a stream. */
export interface StreamEvent {
  /** Its name, for `addEventListener`. */
  readonly event: string;
  /** What a client sends as `Last-Event-ID` to go on behind it. @default none: it cannot be gone on behind */
  readonly id?: string | undefined;
  /** JSON. */
  readonly data: unknown;
}

/**
 * A stream of server-sent events to one client. What waits for a client is bounded: one that does not read loses the
 * connection, and goes on where it was with the id of the last event that it has.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #limits: Pick<GatewayLimits, 'streamBytes' | 'stallMs'>;
  readonly #closed = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;

  constructor(reply: FastifyReply, limits: Pick<GatewayLimits, 'streamBytes' | 'stallMs' | 'heartbeatMs'>) {
    this.#limits = limits;
    reply.hijack();
    this.#response = reply.raw;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) this.#response.setHeader(name, value);
    }
    this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    this.#response.flushHeaders();
    this.#response.on('close', () => this.#end());
    this.#response.on('error', () => this.#end());
    this.#heartbeat = setInterval(() => this.#write(': \n\n'), limits.heartbeatMs);
    this.#heartbeat.unref();
    if (this.#response.destroyed) this.#end();
  }

  /** Aborted when the stream has ended, whoever ended it. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Sends an event. Where too much waits for the client already, the connection ends instead. */
  send({ event, id, data }: StreamEvent): void {
    const idLine = id === undefined ? '' : `id: ${id}\n`;
    this.#write(`${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends an event and waits until the client has taken what waits for it: for whoever can make the next one later. */
  async offer(event: StreamEvent): Promise<void> {
    this.send(event);
    if (!this.#response.writableNeedDrain || this.closed.aborted) return;
    await this.#drained();
  }

  /** Ends the stream. Idempotent. */
  end(): void {
    if (!this.closed.aborted) this.#response.end();
    this.#end();
  }

  #write(text: string): void {
    if (this.closed.aborted) return;
    // One event may be larger than what may wait.
    if (this.#response.writableLength > this.#limits.streamBytes) this.#response.destroy();
    else this.#response.write(text);
  }

  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      const stalled = setTimeout(() => this.#response.destroy(), this.#limits.stallMs);
      stalled.unref();
      const done = (): void => {
        clearTimeout(stalled);
        this.#response.off('drain', done);
        this.closed.removeEventListener('abort', done);
        resolve();
      };
      this.#response.once('drain', done);
      this.closed.addEventListener('abort', done, { once: true });
    });
  }

  #end(): void {
    clearInterval(this.#heartbeat);
    this.#closed.abort();
  }
}
