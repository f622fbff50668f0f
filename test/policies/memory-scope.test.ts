import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  definePlugin,
  defineTool,
  type Inbound,
  type ModelReply,
  type ModelRequest,
  type Plugin,
  partsOfMessage,
} from '@varve/core';
import { recall } from '@varve/plugin-recall';
import { resetPolicy } from '@varve/plugin-reset-policy';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { workspaceLayers } from '@varve/plugin-workspace-layers';
import type { RoutingOptions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { beginProcess, type PolicyHost, replyOf } from './policy-host.ts';

const direct: Partial<Inbound> = { channel: 'telegram', peer: 'user_123' };
const group: Partial<Inbound> = {
  channel: 'discord',
  chatType: 'group',
  peer: 'team_456',
  sender: { id: '987', role: 'member' },
  addressed: 'mention',
};
const elsewhere: Partial<Inbound> = { channel: 'discord', peer: '987', sender: { id: '987', role: 'owner' } };

const conclusion = 'The clay service speaks HTTP, not gRPC.';
const secret = 'The vault opens with plum-4711.';

let root = '';
let dir = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'varve-memory-scope-'));
  dir = join(root, 'workspace');
  mkdirSync(dir);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Calls a tool when the user says so, as `tool {"input":1}`, and says what came of it. */
function obedient({ prompt }: ModelRequest): ModelReply {
  const last = prompt.messages.at(-1);
  const [part] = last === undefined ? [] : partsOfMessage(last);
  if (part?.type === 'tool-result') return replyOf(String(part.output.value));
  const text = part?.type === 'text' ? part.text : '';
  const [, toolName, input] = /^call (\w+) (\{[^\n]*\})/.exec(text) ?? [];
  if (toolName === undefined || input === undefined) return replyOf('Noted.');
  const call = {
    type: 'tool-call' as const,
    toolCallId: `c${prompt.messages.length}`,
    toolName,
    input: JSON.parse(input),
  };
  return { message: { role: 'assistant', content: [call], stop: 'tool-calls' }, usage: null };
}

/** A tool that writes files into the workspace, as hosts have them. */
const files = (): Plugin =>
  definePlugin({
    name: 'acme/files',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    tools: {
      write_file: defineTool({
        description: 'Writes a file into the workspace.',
        input: z.object({ path: z.string(), text: z.string() }),
        execute: ({ path, text }) => {
          writeFileSync(join(dir, path), text);
          return `Written to ${path}.`;
        },
      }),
    },
    apply: () => undefined,
  })();

async function begin(
  options: { readonly shareWithGroups?: boolean; readonly routing?: RoutingOptions } = {},
): Promise<PolicyHost> {
  const { shareWithGroups = false, routing = {} } = options;
  const pastSessions = { store: jsonlStore({ root }) };
  const plugins = [
    workspaceLayers({ dir, shareWithGroups, listing: true, timeZone: 'UTC', pastSessions }),
    summaryCompaction(),
    recall(),
    files(),
    resetPolicy({ greeting: null }),
  ];
  return beginProcess({ root, plugins, routing: { dmScope: 'per-channel-peer', ...routing }, answer: obedient });
}

/** Lets the model call a tool in a conversation, and gives what the tool said. */
async function call(
  process: PolicyHost,
  where: Partial<Inbound>,
  [tool, input]: readonly [string, object],
): Promise<string> {
  const received = await process.say(`call ${tool} ${JSON.stringify(input)}`, where);
  expect(received.failure).toBeNull();
  return received.turn?.text ?? '';
}

async function workInDirectChat(process: PolicyHost): Promise<void> {
  const { route } = await process.say(secret, direct);
  expect(route.keyText).toMatch(/^agent:main:(?:telegram:direct:user_123|direct:~ada)$/);
  await call(process, direct, ['memory_save', { text: conclusion }]);
  await call(process, direct, ['memory_save', { text: 'Ada sees the dentist about plum-4712.', scope: 'private' }]);
  await call(process, direct, ['write_file', { path: 'api-design-draft.md', text: '# Draft' }]);
}

describe('what is learnt in a direct chat', () => {
  it.each([true, false])(
    'is found in a group exactly when notes are shared with groups (%s)',
    async (shareWithGroups) => {
      await using process = await begin({ shareWithGroups });
      await workInDirectChat(process);
      const said = await call(process, group, ['memory_search', { query: 'clay service protocol' }]);
      expect(said.includes(conclusion)).toBe(shareWithGroups);
      const { route } = await process.say('Hello!', group);
      expect(route.keyText).toBe('agent:main:discord:group:team_456');
    },
  );

  it('shows its files in the direct chat and in the group', async () => {
    await using process = await begin();
    await workInDirectChat(process);
    for (const where of [direct, group]) {
      // The layer of a conversation that has begun is as it was; a new one sees what lies there now.
      await process.say('/new', { ...where, sender: { id: 'x', role: 'owner' } });
      await process.say('Hello!', where);
      expect(JSON.stringify(process.asked.at(-1)?.prompt.system)).toContain('api-design-draft.md');
    }
  });

  it.each([true, false])(
    'is otherwise out of reach for a group, with notes shared or not (%s)',
    async (shareWithGroups) => {
      await using process = await begin({ shareWithGroups });
      await workInDirectChat(process);
      const before = process.asked.length;
      const tries: readonly (readonly [string, object])[] = [
        ['memory_search', { query: 'plum vault dentist', limit: 20 }],
        ['memory_get', { path: 'memory/2023-11-14.md' }],
        ['recall_grep', { query: 'plum vault dentist' }],
        ['recall_grep', { pattern: 'plum' }],
        ['recall_expand', { from: 1, to: 100 }],
      ];
      const answersIn = async (where: Partial<Inbound>): Promise<string> => {
        const answers: string[] = [];
        for (const one of tries) answers.push(await call(process, where, one));
        return answers.join('\n');
      };
      const inGroup = await answersIn(group);
      await process.say('What opens the vault?', group);
      await process.say('/new', { ...group, sender: { id: 'x', role: 'owner' } });
      await process.say('What opens the vault, and when is the dentist?', group);
      expect(inGroup).not.toMatch(/471[12]/);
      expect(JSON.stringify(process.asked.slice(before))).not.toMatch(/471[12]/);
      // The same questions where they may be answered.
      const inDirect = await answersIn(direct);
      expect(inDirect).toContain('plum-4711');
      expect(inDirect).toContain('plum-4712');
    },
  );

  it('is found from the other channel of the same person, where a link says so, also in a later conversation', async () => {
    const routing = { identityLinks: { ada: ['telegram:user_123', 'discord:987'] } };
    await using process = await begin({ routing });
    await workInDirectChat(process);
    await process.say('/new', direct);
    const said = await call(process, elsewhere, ['memory_search', { query: 'dentist' }]);
    expect(said).toContain('plum-4712');
    expect((await process.say('Hello!', elsewhere)).route).toMatchObject({
      keyText: 'agent:main:direct:~ada',
      identity: 'ada',
    });
  });

  it('is not found from another channel where no link says that it is the same person', async () => {
    await using process = await begin();
    await workInDirectChat(process);
    const said = await call(process, elsewhere, ['memory_search', { query: 'dentist plum vault', limit: 20 }]);
    expect(said).not.toMatch(/471[12]/);
  });
});
