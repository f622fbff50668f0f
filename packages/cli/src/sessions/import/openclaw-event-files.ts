import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes the events of a conversation into files: one a session, and one more behind each reset. */
export class EventFiles {
  readonly files: { readonly id: string; readonly path: string }[] = [];
  readonly #folder: string;
  #handle: Awaited<ReturnType<typeof open>> | null = null;
  #session = '';
  /** How many resets the session has had. */
  #resets = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Begins the next session. */
  async begin(id: string): Promise<void> {
    await this.end();
    this.#session = id;
    this.#resets = 0;
    await this.#next();
  }

  async add(line: string): Promise<void> {
    if (typeOf(line) === 'reset') {
      await this.end();
      // The last one keeps the id, whichever number it has.
      this.#rename(this.#resets);
      this.#resets += 1;
      await this.#next();
    }
    await this.#write(line);
  }

  async end(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
  }

  async remove(): Promise<void> {
    for (const { path } of this.files) await rm(path, { force: true });
  }

  async #next(): Promise<void> {
    const path = join(this.#folder, `${this.files.length}.jsonl`);
    this.#handle = await open(path, 'wx', 0o600);
    this.files.push({ id: this.#session, path });
  }

  /** Gives what was before a reset an id of its own, the same each time. */
  #rename(number: number): void {
    const last = this.files.pop();
    if (last === undefined) return;
    const hash = createHash('sha256').update(`${this.#session} ${number}`).digest('hex');
    this.files.push({ ...last, id: `before reset ${number + 1} of ${this.#session} ${hash.slice(0, 8)}` });
  }

  async #write(line: string): Promise<void> {
    await this.#handle?.appendFile(`${line.replaceAll('\n', ' ')}\n`);
  }
}

function typeOf(line: string): unknown {
  try {
    return (JSON.parse(line) as { readonly type?: unknown } | null)?.type;
  } catch {
    return undefined;
  }
}
