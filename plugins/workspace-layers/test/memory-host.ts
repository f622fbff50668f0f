import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type BudgetOptions,
  createHost,
  type Host,
  type Message,
  type OpenOptions,
  type Prompt,
  type Session,
  type Store,
} from '@varve/core';
import { type WorkspaceLayersOptions, workspaceLayers } from '@varve/plugin-workspace-layers';
import { type ManualClock, manualClock } from '@varve/testkit';
import { onTestFinished } from 'vitest';

/** The model that prompts are made for; none is called. */
export const model = { provider: 'test', model: 'test-1' };

/** Half past nine in the morning of March 2, 2026, in universal time. */
export const morning: number = Date.UTC(2026, 2, 2, 9, 30);

/** A folder of its own, with files; it is removed when the test is over. */
export function workspaceWith(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'varve-workspace-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) writeAt(dir, { path, text });
  return dir;
}

/** Writes one file of a workspace. */
export function writeAt(
  dir: string,
  { path, text }: { readonly path: string; readonly text: string | Uint8Array },
): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

/** A host with the plugin, at a time that stands still. */
export interface MemoryHost {
  readonly host: Host;
  readonly clock: ManualClock;
  readonly warnings: readonly string[];
  open(key: string | null, options?: OpenOptions): Promise<Session>;
}

/** Makes a host for one workspace. */
export async function memoryHost(
  dir: string,
  options: Omit<WorkspaceLayersOptions, 'dir'> & {
    readonly budget?: BudgetOptions;
    /** @default one of its own */
    readonly store?: Store;
  } = {},
): Promise<MemoryHost> {
  const { budget = {}, store, ...given } = options;
  const clock = manualClock(morning);
  const plugins = [workspaceLayers({ dir, timeZone: 'UTC', ...given })];
  const host = await createHost({ clock, plugins, budget, ...(store === undefined ? {} : { store }) });
  onTestFinished(() => host.close());
  const warnings: string[] = [];
  host.events.on('warning', ({ text }) => warnings.push(text));
  let opened = 0;
  const open: MemoryHost['open'] = (key, more = {}) => {
    opened += 1;
    return host.open(`s${opened}`, { ...(key === null ? {} : { key }), ...more });
  };
  return { host, clock, warnings, open };
}

/** Says something, so that there is a conversation, and makes the prompt of an answer. */
export async function ask(session: Session, content = 'Hello.'): Promise<Prompt> {
  const said: Message = { role: 'user', content };
  await session.ingest(said);
  return session.assemble({ model });
}

/** The text of one layer of a prompt; `null` when it has none. */
export function layerOf({ system }: Prompt, layer: string): string | null {
  return system.find((block) => block.layer === layer)?.text ?? null;
}

/** Calls a tool and gives what a model reads. */
export async function use(session: Session, name: string, input: unknown): Promise<string> {
  const tool = session.tools().find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool "${name}".`);
  const output = await tool.execute(input as never, { toolCallId: 'call-1' });
  if (output.type !== 'text') throw new Error(`${name}: ${JSON.stringify(output.value)}`);
  return output.value;
}
