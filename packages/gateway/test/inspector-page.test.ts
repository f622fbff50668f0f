import { expect, it } from 'vitest';
import { serve } from './served.ts';

it('gives the page of the inspector to anybody, under a policy that lets it run its own script alone', async () => {
  await using served = await serve();
  await served.say('agent:main:main', 'a secret of somebody');
  for (const [path, type] of [
    ['/', 'text/html; charset=utf-8'],
    ['/inspector.js', 'text/javascript; charset=utf-8'],
    ['/inspector.css', 'text/css; charset=utf-8'],
  ] as const) {
    const { status, headers, text } = await served.call(path, { role: null });
    expect({ path, status, type: headers.get('content-type') }).toEqual({ path, status: 200, type });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|data: 'self'/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).not.toContain('a secret of somebody');
  }
});

it('has no script, style or handler in the markup of the page', async () => {
  await using served = await serve();
  const { text } = await served.call('/', { role: null });
  expect(text).not.toMatch(/<script(?! src="\/inspector\.js"><)|<style|\son\w+=|style=/);
});
