import type { CallOptions } from './served.ts';

const key = 'agent:main:main';
const session = `/v1/sessions/${encodeURIComponent(key)}`;

/** A request that somebody makes who should not, and what the gateway does about it. */
interface Attack {
  readonly what: string;
  readonly path: string;
  readonly how?: CallOptions;
  readonly status: number;
  readonly code?: string;
}

const json = { 'content-type': 'application/json' };
const turn = (body: unknown, more: CallOptions = {}): CallOptions => ({
  method: 'POST',
  role: 'client',
  body,
  ...more,
});
const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const sql = "agent:main:direct:x'; DROP TABLE varve_entries; --";

/** What is tried. */
export const attacks: readonly Attack[] = [
  // Who calls
  { what: 'no token', path: '/v1/sessions', how: { role: null }, status: 401, code: 'VARVE_TOKEN_INVALID' },
  {
    what: 'an empty token',
    path: '/v1/sessions',
    how: { role: null, headers: { authorization: 'Bearer ' } },
    status: 401,
  },
  {
    what: 'a made-up token',
    path: '/v1/sessions',
    how: { role: null, headers: { authorization: `Bearer vrv_${'A'.repeat(43)}` } },
    status: 401,
  },
  {
    what: 'another scheme',
    path: '/v1/sessions',
    how: { role: null, headers: { authorization: 'Basic b3duZXI6b3duZXI=' } },
    status: 401,
  },
  {
    what: 'a token of 10 kB',
    path: '/v1/sessions',
    how: { role: null, headers: { authorization: `Bearer ${'a'.repeat(10_000)}` } },
    status: 401,
  },
  { what: 'a token in the address', path: '/v1/sessions?access_token=x', how: { role: null }, status: 401 },
  {
    what: 'a token in a cookie',
    path: '/v1/sessions',
    how: { role: null, headers: { cookie: 'token=x' } },
    status: 401,
  },
  { what: 'the metrics without a token', path: '/metrics', how: { role: null }, status: 401 },
  {
    what: 'a turn of a viewer',
    path: `${session}/turn`,
    how: turn({ text: 'x' }, { role: 'viewer' }),
    status: 403,
    code: 'VARVE_TOKEN_ROLE',
  },
  { what: 'an archive of a client', path: `${session}/archive`, how: turn({}), status: 403 },
  {
    what: 'a send policy of a client',
    path: `${session}/settings/send`,
    how: { method: 'PUT', role: 'client', body: { value: 'on' } },
    status: 403,
  },
  {
    what: 'a memory of a client',
    path: `${session}/settings/incognito`,
    how: { method: 'PUT', role: 'client', body: { value: false } },
    status: 403,
  },
  // Where from
  {
    what: 'a page of another place',
    path: '/v1/sessions',
    how: { headers: { origin: 'https://evil.example' } },
    status: 403,
  },
  { what: 'a page without a place', path: '/v1/sessions', how: { headers: { origin: 'null' } }, status: 403 },
  {
    what: 'a preflight of a browser',
    path: '/v1/sessions',
    how: { method: 'OPTIONS', role: null, headers: { 'access-control-request-method': 'GET' } },
    status: 404,
  },
  // Names of sessions
  { what: 'a path that climbs', path: `/v1/sessions/${encodeURIComponent('../../../../etc/passwd')}`, status: 404 },
  {
    what: 'a path that climbs, encoded twice',
    path: '/v1/sessions/%252e%252e%252f%252e%252e%252fetc%252fpasswd',
    status: 404,
  },
  { what: 'an absolute path', path: `/v1/sessions/${encodeURIComponent('/etc/passwd')}/entries`, status: 404 },
  { what: 'a path of Windows', path: `/v1/sessions/${encodeURIComponent('..\\..\\windows\\win.ini')}`, status: 404 },
  {
    what: 'a name with a zero byte',
    path: '/v1/sessions/agent%3Amain%3Amain%00.jsonl',
    status: 400,
    code: 'VARVE_REQUEST_INVALID',
  },
  { what: 'a name with line breaks', path: '/v1/sessions/x%0d%0aSet-Cookie:%20a=b', status: 400 },
  { what: 'a name that is not UTF-8', path: '/v1/sessions/%ff%fe', status: 400 },
  { what: 'a name of 5 kB', path: `/v1/sessions/${'a'.repeat(5_000)}`, status: 414 },
  { what: 'a name of 1 kB', path: `/v1/sessions/${'a'.repeat(1_000)}`, status: 400 },
  { what: 'SQL in a name', path: `/v1/sessions/${encodeURIComponent(sql)}`, status: 404 },
  { what: 'a name that every object has', path: '/v1/sessions/__proto__', status: 404 },
  {
    what: 'a setting that every object has',
    path: `${session}/settings/constructor`,
    how: { method: 'PUT', body: { value: 'x' } },
    status: 404,
  },
  {
    what: 'a turn in the conversation of a job',
    path: `/v1/sessions/${encodeURIComponent('agent:main:cron:backup')}/turn`,
    how: turn({ text: 'x' }),
    status: 400,
    code: 'VARVE_KEY_INVALID',
  },
  {
    what: 'a turn in no conversation at all',
    path: '/v1/sessions/%2e%2e%5cx/turn',
    how: turn({ text: 'x' }),
    status: 400,
  },
  {
    what: 'the last event of another conversation',
    path: `${session}/events`,
    how: { headers: { 'last-event-id': 'other:3' } },
    status: 400,
  },
  {
    what: 'a last event that is none',
    path: `${session}/events`,
    how: { headers: { 'last-event-id': '../../etc/passwd' } },
    status: 400,
  },
  {
    what: 'a cursor that is none',
    path: `/v1/sessions?after=${Buffer.from('{"__proto__":{}}').toString('base64url')}`,
    status: 400,
  },
  { what: 'a page of a million', path: '/v1/sessions?limit=1000000', status: 400 },
  { what: 'a number that is none', path: `${session}/entries?after=-1`, status: 400 },
  { what: 'a parameter twice', path: '/v1/sessions?limit=1&limit=2', status: 400 },
  { what: 'a parameter that every object has', path: '/v1/sessions?__proto__[role]=owner', status: 400 },
  {
    what: 'a type of entries that is a pattern',
    path: `${session}/entries?types=${encodeURIComponent('(a+)+$')}`,
    status: 400,
  },
  // Bodies
  { what: 'a body of 2 MB', path: `${session}/turn`, how: turn({ text: 'x'.repeat(2_000_000) }), status: 413 },
  {
    what: 'a form',
    path: `${session}/turn`,
    how: turn('text=x', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    status: 415,
  },
  {
    what: 'a text',
    path: `${session}/turn`,
    how: turn('{"text":"x"}', { headers: { 'content-type': 'text/plain' } }),
    status: 415,
  },
  {
    what: 'XML',
    path: `${session}/turn`,
    how: turn('<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>', {
      headers: { 'content-type': 'application/xml' },
    }),
    status: 415,
  },
  { what: 'JSON that ends early', path: `${session}/turn`, how: turn('{"text":', { headers: json }), status: 400 },
  {
    what: 'JSON in 200 000 brackets',
    path: `${session}/turn`,
    how: turn(deep(200_000), { headers: json }),
    status: 400,
  },
  {
    what: 'JSON in 200 000 brackets, as a value',
    path: `${session}/settings/send`,
    how: { method: 'PUT', body: `{"value":${deep(200_000)}}`, headers: json },
    status: 400,
  },
  {
    what: 'JSON with 100 000 names',
    path: `${session}/turn`,
    how: turn(`{${Array.from({ length: 60_000 }, (_, index) => `"n${index}":0`).join(',')}}`, { headers: json }),
    status: 400,
  },
  {
    what: 'a prototype',
    path: `${session}/turn`,
    how: turn('{"text":"x","__proto__":{"role":"owner"}}', { headers: json }),
    status: 400,
  },
  {
    what: 'a constructor',
    path: `${session}/turn`,
    how: turn('{"text":"x","constructor":{"prototype":{"role":"owner"}}}', { headers: json }),
    status: 400,
  },
  {
    what: 'a name that the route does not know',
    path: `${session}/turn`,
    how: turn({ text: 'x', role: 'owner' }),
    status: 400,
  },
  { what: 'a list in the place of a text', path: `${session}/turn`, how: turn({ text: ['x'] }), status: 400 },
  { what: 'a text that says nothing', path: `${session}/turn`, how: turn({ text: ' \n ' }), status: 400 },
  {
    what: 'an id of a message with a line break',
    path: `${session}/turn`,
    how: turn({ text: 'x', messageId: 'a\nb' }),
    status: 400,
  },
  {
    what: 'an Idempotency-Key that differs',
    path: `${session}/turn`,
    how: turn({ text: 'x', messageId: 'a' }, { headers: { 'idempotency-key': 'b' } }),
    status: 400,
  },
  {
    what: 'a plan of somebody else',
    path: `${session}/commit`,
    how: turn({ planId: '00000000-0000-4000-8000-000000000000' }),
    status: 409,
  },
  {
    what: 'a plan with actions of its own',
    path: `${session}/commit`,
    how: turn({ plan: { actions: [] } }),
    status: 400,
  },
  { what: 'an entry that is a path', path: `${session}/undo`, how: turn({ entryId: '../../x' }), status: 404 },
  { what: 'a fork into no conversation', path: `${session}/fork`, how: turn({ newKey: '../../../x' }), status: 400 },
  {
    what: 'a model with an address',
    path: `${session}/settings/model`,
    how: { method: 'PUT', role: 'client', body: { value: 'http://169.254.169.254/\nx' } },
    status: 400,
  },
  // Methods
  {
    what: 'a method over another one',
    path: '/v1/sessions',
    how: { method: 'POST', role: 'viewer', headers: { 'x-http-method-override': 'GET', ...json }, body: {} },
    status: 404,
  },
  { what: 'a DELETE of a session', path: session, how: { method: 'DELETE' }, status: 404 },
  { what: 'a PATCH of a session', path: session, how: { method: 'PATCH', body: {} }, status: 404 },
  { what: 'a route in other letters', path: '/V1/Sessions', status: 404 },
  { what: 'a route with a slash behind it', path: '/v1/sessions/', status: 400 },
  { what: 'a file of the server', path: '/..%2f..%2fetc%2fpasswd', status: 404 },
];
