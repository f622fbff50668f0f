import { expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { startServing } from './serving.ts';
import { temporaryFolder } from './temporary-folder.ts';

const temporary = temporaryFolder();

const serve = (argv: readonly string[], env: Record<string, string>) =>
  startServing(argv, { env, cwd: temporary.path });

it('serves the sessions of a folder with the offline model and a token for this run', async () => {
  const { said, stop } = await serve([], { VARVE_HOME: temporary.folder('offline') });
  expect(said.model).toBe('offline');
  const headers = { authorization: `Bearer ${said.token}`, 'content-type': 'application/json' };
  const path = `${said.url}/v1/sessions/${encodeURIComponent('agent:main:main')}/turn`;
  const body = JSON.stringify({ text: 'Hello!', stream: false });
  const answer = await (await fetch(path, { method: 'POST', headers, body })).json();
  expect(answer).toMatchObject({ status: 'answered', key: 'agent:main:main' });
  expect((await fetch(`${said.url}/v1/sessions`)).status).toBe(401);
  expect(await stop()).toBe(0);
  // What was said is there for everybody else.
  const listed = await run(['sessions', 'list', '--json'], { env: { VARVE_HOME: temporary.folder('offline') } });
  expect(listed.out).toContain('agent:main:main');
});

it('lets those in whom tokens were made for, until they are revoked', async () => {
  const env = { VARVE_HOME: temporary.folder('tokens') };
  const made = await run(['token', 'create', 'phone', '--role', 'viewer', '--json'], { env });
  const { token, id } = JSON.parse(made.out) as { readonly token: string; readonly id: string };
  const { said, stop } = await serve(['--no-token'], env);
  expect(said.token).toBeNull();
  const ask = async () => (await fetch(`${said.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await ask()).toBe(200);
  expect((await run(['token', 'list'], { env })).out).toMatch(/viewer .* for ever +phone/);
  expect((await run(['token', 'revoke', id], { env })).code).toBe(0);
  expect(await ask()).toBe(401);
  expect((await run(['token', 'list'], { env })).out).toContain('revoked');
  await stop();
});

it('does not listen for other machines without a token, nor on a port that is taken', async () => {
  const env = { VARVE_HOME: temporary.folder('refused') };
  const open = await run(['serve', '--port', '0', '--host', '0.0.0.0'], { env });
  expect(open).toMatchObject({ code: 2, out: '' });
  expect(open.err).toContain('varve token create');
  const { said, stop } = await serve([], env);
  const taken = await run(['serve', '--port', new URL(said.url).port], {
    env: { VARVE_HOME: temporary.folder('other') },
  });
  expect(taken.code).toBe(2);
  expect(taken.err).toContain('EADDRINUSE');
  await stop();
});

it('says what it needs for a database', async () => {
  const { code, err } = await run(['serve', '--postgres'], { env: { VARVE_HOME: temporary.folder('database') } });
  expect(code).toBe(2);
  expect(err).toContain('DATABASE_URL');
});

it('refuses a token that is not there to be revoked', async () => {
  const { code, err } = await run(['token', 'revoke', 'x'], { env: { VARVE_HOME: temporary.folder('revoked') } });
  expect(code).toBe(2);
  expect(err).toContain('varve token list');
});
