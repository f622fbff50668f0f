import { type CliStream, writeTo } from '../terminal/cli-io.ts';
import { printableJson } from '../terminal/printable-text.ts';
import type { Replay } from './replay.ts';

/** Rows that are turned into text at once: a long replay has many. */
const rowsAtOnce = 1_000;

/** Writes a replay as one JSON object and a line end, a part at a time. */
export async function writeReplayJson(stream: CliStream, replay: Replay): Promise<void> {
  let separator = '{';
  for (const [name, value] of Object.entries(replay) as [string, unknown][]) {
    await writeTo(stream, `${separator}${printableJson(name)}:`);
    if (Array.isArray(value)) await writeRows(stream, value);
    else await writeTo(stream, printableJson(value));
    separator = ',';
  }
  await writeTo(stream, '}\n');
}

async function writeRows(stream: CliStream, rows: readonly unknown[]): Promise<void> {
  await writeTo(stream, '[');
  for (let index = 0; index < rows.length; index += rowsAtOnce) {
    const text = rows.slice(index, index + rowsAtOnce).map(printableJson);
    await writeTo(stream, `${index === 0 ? '' : ','}${text.join(',')}`);
  }
  await writeTo(stream, ']');
}
