import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenFile } from '@varve/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'varve-tokens-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('a file of tokens', () => {
  it('keeps hashes alone, for its owner alone', async () => {
    const path = join(folder, 'gateway', 'tokens.json');
    const { token, record } = await tokenFile(path).create({ name: 'phone', role: 'client' });
    expect(token).toMatch(/^vrv_[\w-]{43}$/);
    const text = await readFile(path, 'utf8');
    expect(text).not.toContain(token);
    expect(text).toContain(record.hash);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'gateway'))).mode & 0o777).toBe(0o700);
  });

  it('is read again when another process has changed it', async () => {
    const path = join(folder, 'tokens.json');
    const [ours, theirs] = [tokenFile(path), tokenFile(path)];
    expect(await ours.records()).toEqual([]);
    const { record } = await theirs.create({ name: 'phone', role: 'client' });
    expect(await ours.records()).toEqual([record]);
    await theirs.revoke(record.id);
    expect((await ours.records())[0]?.revokedAt).not.toBeNull();
  });

  it('loses none that are made at the same time', async () => {
    const path = join(folder, 'tokens.json');
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => tokenFile(path).create({ name: `${index}`, role: 'viewer' })),
    );
    expect(await tokenFile(path).records()).toHaveLength(8);
  });

  it.each([
    ['not JSON', 'x'],
    ['another shape', '{"v":2}'],
    ['a token of no role', '{"v":1,"tokens":[{"id":"a"}]}'],
  ])('lets nobody in when it holds %s', async (_what, text) => {
    const path = join(folder, 'tokens.json');
    await writeFile(path, text);
    await expect(tokenFile(path).records()).rejects.toMatchObject({ code: 'VARVE_CONFIG_INVALID' });
    await expect(tokenFile(path).create({ name: 'x', role: 'owner' })).rejects.toMatchObject({
      code: 'VARVE_CONFIG_INVALID',
    });
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});
