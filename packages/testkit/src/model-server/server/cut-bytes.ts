import { Buffer } from 'node:buffer';
import type { CutPlace } from '../exchange/model-outcome.ts';
import type { WireEvent } from '../wire/wire.ts';

/** The bytes of an event of a stream. */
export function eventBytes({ name, data }: WireEvent): Buffer {
  return Buffer.from(`${name === null ? '' : `event: ${name}\n`}data: ${data}\n\n`);
}

/**
 * What is sent of a stream that breaks off, one buffer an event.
 *
 * @throws An `Error` when no event holds such a place: the script asks for what its answer cannot give.
 */
export function cutEvents(events: readonly WireEvent[], place: CutPlace): readonly Buffer[] {
  const bytes = events.map(eventBytes);
  if ('afterEvents' in place) return bytes.slice(0, place.afterEvents);
  if (place.within === 'tool-input') {
    const first = found(events, ({ isToolInput = false }) => isToolInput, 'a call of a tool');
    return bytes.slice(0, first + 1);
  }
  if (place.within === 'line') return halfOf(bytes, Math.floor(bytes.length / 2));
  const index = found(events, ({ data }) => wideAt(Buffer.from(data)) >= 0, 'a character of several bytes');
  const broken = bytes[index] ?? Buffer.alloc(0);
  return [...bytes.slice(0, index), broken.subarray(0, wideAt(broken) + 1)];
}

/** What is sent of a body that breaks off. */
export function cutBody(body: Buffer, place: CutPlace): Buffer {
  if ('within' in place && place.within === 'character' && wideAt(body) >= 0) return body.subarray(0, wideAt(body) + 1);
  return body.subarray(0, Math.floor(body.length / 2));
}

function halfOf(bytes: readonly Buffer[], index: number): readonly Buffer[] {
  const broken = bytes[index] ?? Buffer.alloc(0);
  return [...bytes.slice(0, index), broken.subarray(0, Math.floor(broken.length / 2))];
}

function found(events: readonly WireEvent[], holds: (event: WireEvent) => boolean, what: string): number {
  const index = events.findIndex(holds);
  if (index < 0) throw new Error(`The answer cannot be cut within ${what}: it holds none.`);
  return index;
}

/** Where the first character of several bytes begins. */
function wideAt(bytes: Buffer): number {
  return bytes.findIndex((byte) => byte >= 0xc0);
}
