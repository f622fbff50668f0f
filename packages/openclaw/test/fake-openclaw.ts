import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import plugin, { type OpenClawEngine, type PluginConfig } from '@varve/openclaw';
import { onTestFinished } from 'vitest';

/** A message as OpenClaw has it. */
export type Said = { readonly role: string; readonly [field: string]: unknown };

/** A folder that is removed with the test. */
export function folder(): string {
  const root = mkdtempSync(join(tmpdir(), 'varve-openclaw-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** What OpenClaw has of the plugin. */
export interface FakeOpenClaw {
  /** Makes an engine, as for each operation. */
  engine(): OpenClawEngine;
  readonly warnings: string[];
}

/** Registers the plugin, as OpenClaw does when it starts. */
export function fakeOpenClaw(pluginConfig: PluginConfig): FakeOpenClaw {
  const warnings: string[] = [];
  const factories: (() => OpenClawEngine)[] = [];
  plugin.register({
    pluginConfig,
    logger: { warn: (text) => void warnings.push(text) },
    registerContextEngine: (_, factory) => void factories.push(factory),
  });
  return {
    warnings,
    engine: () => {
      const [make] = factories;
      if (make === undefined) throw new Error('No engine was registered.');
      return make();
    },
  };
}

let time = 1_000;

/** What the user says. */
export function user(text: string): Said {
  time += 1;
  return { role: 'user', content: [{ type: 'text', text }], timestamp: time };
}

/** What the model says, with what the provider has reported of it. */
export function assistant(text: string, input?: number): Said {
  time += 1;
  const usage = input === undefined ? {} : { usage: { input, output: 5, cacheRead: 0, cacheWrite: 0 } };
  const content = [{ type: 'text', text }];
  return {
    role: 'assistant',
    content,
    provider: 'fake',
    model: 'small',
    stopReason: 'stop',
    timestamp: time,
    ...usage,
  };
}

/** The texts of a list. */
export function textsOf(list: readonly Said[]): readonly string[] {
  return list.map(({ content }) => {
    const blocks = Array.isArray(content) ? (content as readonly { readonly text?: string }[]) : [];
    return blocks.map(({ text = '' }) => text).join('');
  });
}

/** A line of a journal. */
interface Line {
  readonly type: string;
  readonly message?: Said;
  readonly provenance?: { readonly kind: string };
  readonly usage?: object;
}

/** The lines of the one journal below a folder. */
export function journalOf(root: string, agentId = 'main'): readonly Line[] {
  const place = join(root, 'agents', agentId, 'sessions');
  const [name = '', ...others] = readdirSync(place).filter((one) => one.endsWith('.jsonl'));
  if (others.length > 0) throw new Error('There are several journals.');
  const lines = readFileSync(join(place, name), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

/** What was said, as the one journal below a folder has it. */
export function saidIn(root: string): readonly string[] {
  return textsOf(journalOf(root).flatMap(({ message }) => (message === undefined ? [] : [message])));
}
