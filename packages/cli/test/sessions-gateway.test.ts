import { PassThrough } from 'node:stream';
import { runCli } from '@varve/cli';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { type Serving, startServing } from './serving.ts';
import { temporaryFolder } from './temporary-folder.ts';

const temporary = temporaryFolder();
const key = 'agent:main:main';
let serving: Serving;
let tokenFile: string;

beforeAll(async () => {
  const env = { VARVE_HOME: temporary.folder('store') };
  serving = await startServing([], { env, cwd: temporary.path });
  tokenFile = temporary.file('token.txt', `${serving.said.token}\n`);
  for (let turn = 1; turn <= 4; turn += 1) await say(`Message ${turn}: ${'the tide comes in, '.repeat(150)}`);
});
afterAll(async () => {
  await serving.stop();
});

function say(text: string): Promise<Response> {
  return fetch(`${serving.said.url}/v1/sessions/${encodeURIComponent(key)}/turn`, {
    method: 'POST',
    headers: { authorization: `Bearer ${serving.said.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text, stream: false }),
  });
}

/** A command that asks the gateway, on a machine that has no store. */
function ask(...argv: readonly string[]) {
  const where = ['--gateway', serving.said.url, '--token-file', tokenFile];
  return run(['sessions', ...argv, ...where], { env: { VARVE_HOME: temporary.folder('nothing') } });
}

it('lists and shows the sessions of a gateway that runs', async () => {
  const listed = await ask('list', '--kind', 'main');
  expect(listed.err).toBe('');
  expect(listed.out).toContain(key);
  const { sessions } = JSON.parse((await ask('list', '--json')).out);
  expect(sessions[0]).toMatchObject({ key, generation: 'current' });
  const shown = JSON.parse((await ask('show', key, '--json')).out);
  expect(shown).toMatchObject({ record: { key }, generation: 'current', health: { ok: true } });
});

it('compacts a session that the gateway has open, and takes it back', async () => {
  const planned = await ask('compact', key, '--dry-run');
  expect(planned.out).toContain('would compact #1');
  const compacted = await ask('compact', key);
  expect(compacted).toMatchObject({ code: 0, err: '' });
  expect(compacted.out).toContain('compacted #1');
  const undone = await ask('undo', key);
  expect(undone.out).toMatch(/^Took back #\d+, a compaction, of session /);
  expect((await ask('undo', key)).err).toContain('VARVE_COMPACTION_UNKNOWN');
});

it('prints the end of a journal, and what is stored from then on', async () => {
  const two = await ask('tail', key, '-n', '2', '--messages', '--json');
  expect(
    two.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).message.role),
  ).toEqual(['user', 'assistant']);
  const controller = new AbortController();
  const stdout = new PassThrough();
  const where = ['--gateway', serving.said.url, '--token-file', tokenFile];
  const io = { stdout, stderr: new PassThrough(), env: {}, signal: controller.signal };
  const following = runCli(['sessions', 'tail', key, '-n', '1', '--follow', '--json', ...where], io);
  let printed = '';
  for await (const chunk of stdout) {
    const isFirst = printed === '';
    printed += String(chunk);
    if (isFirst) await say('The last word');
    if (printed.includes('The last word')) break;
  }
  controller.abort();
  expect(await following).toBe(130);
});

it('begins a conversation anew', async () => {
  const { out } = await ask('reset', key, '--json');
  const reset = JSON.parse(out);
  expect(reset.key).toBe(key);
  expect(reset.previousSessionId).not.toBe(reset.sessionId);
});

it('says what is wrong in the words of the gateway, or that nobody is there', async () => {
  expect((await ask('show', 'agent:main:direct:nobody')).err).toContain('code: VARVE_SESSION_UNKNOWN');
  const wrong = await run(['sessions', 'list', '--gateway', serving.said.url], { env: { VARVE_TOKEN: 'vrv_x' } });
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.err).toContain('code: VARVE_TOKEN_INVALID');
  const none = await run(['sessions', 'list', '--gateway', serving.said.url], {});
  expect(none.err).toContain('--token-file');
  const away = await run(['sessions', 'list', '--gateway', 'http://127.0.0.1:9'], { env: { VARVE_TOKEN: 'vrv_x' } });
  expect(away.err).toContain('No gateway answers');
  const file = await run(['sessions', 'list', '--gateway', 'file:///etc'], { env: { VARVE_TOKEN: 'vrv_x' } });
  expect(file.err).toContain('is no address of a gateway');
});
