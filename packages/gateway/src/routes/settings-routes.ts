import { type DeliveryDecision, type JsonValue, readSendOverride, type SendOverride, VarveError } from '@varve/core';
import { askDelivery } from '@varve/core/host';
import { z } from 'zod';
import { requestError } from '../problem/problem.ts';
import { defineRoute, type Route } from '../route/route.ts';
import { resolveSession } from '../session/resolve-session.ts';
import { lookAt, workWith } from '../session/work-with-session.ts';
import { lineOf, sessionPath, sessionPathWith } from '../shapes/parameters.ts';
import { shapeOf } from '../shapes/shape-of.ts';

/** The settings that can be changed here; what each may be, and who may. `null` takes a choice back. */
const changeable = {
  model: { value: lineOf(200).nullable(), access: 'client' },
  thinking: {
    value: z
      .string()
      .regex(/^[\w-]{1,40}$/)
      .nullable(),
    access: 'client',
  },
  verbose: { value: z.enum(['off', 'on', 'full']).nullable(), access: 'client' },
  send: {
    value: z.union([
      z.enum(['on', 'off', 'inherit']),
      z.strictObject({ mode: z.enum(['allow', 'deny', 'inherit']), until: z.number().nullable() }),
    ]),
    access: 'owner',
  },
  incognito: { value: z.boolean(), access: 'owner' },
} as const;

type SettingName = keyof typeof changeable;

const names = Object.keys(changeable).join(', ');

interface SendPreview {
  /** What was said of this session; `null` where the rules decide. */
  readonly override: SendOverride | null;
  readonly decision: Omit<DeliveryDecision, 'delivery'>;
}

/** What is set in a session, and what its policies say. */
export const settingsRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{session}/settings',
    id: 'listSettings',
    tag: 'settings',
    access: 'viewer',
    summary: 'What is set in a session',
    params: sessionPath,
    problems: [404],
    answer: {
      what: 'Values by name.',
      schema: z.strictObject({
        sessionId: z.string(),
        settings: shapeOf<Readonly<Record<string, JsonValue>>>(z.record(z.string(), z.unknown())),
      }),
    },
    handle: async ({ parts, params }) => {
      const record = await resolveSession(parts, params.session);
      const settings = await lookAt(parts, record, async (session) => session.view.settings);
      return { sessionId: record.sessionId, settings };
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/sessions/{session}/settings/{name}',
    id: 'set',
    tag: 'settings',
    access: 'client',
    summary: 'Sets a setting',
    description: `One of ${names}. \`send\` and \`incognito\` take a token of an owner. A model is one that the configuration names or reaches.`,
    params: sessionPathWith('name', `One of ${names}.`),
    body: z.strictObject({ value: z.union([z.string(), z.boolean(), z.null(), z.looseObject({})]) }),
    problems: [404, 409, 413, 415],
    answer: {
      what: 'It is set.',
      schema: z.strictObject({ name: z.string(), value: shapeOf<JsonValue>(z.unknown()) }),
    },
    handle: async ({ parts, params, body, caller }) => {
      const name = settingNamed(params.name);
      const { value: shape, access } = changeable[name];
      if (access === 'owner' && caller.role !== 'owner') {
        throw new VarveError('VARVE_TOKEN_ROLE', `The setting ${name} takes a token of an owner.`, {
          fix: 'Use a token of the role owner.',
        });
      }
      const { data } = shape.safeParse(body.value);
      if (data === undefined) throw requestError(`That is no value of the setting ${name}.`);
      const record = await resolveSession(parts, params.session);
      await workWith(parts, record, (session) => session.set(name, stamped(name, data, parts.host.clock.now())));
      return { name, value: data };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{session}/send',
    id: 'previewSend',
    tag: 'settings',
    access: 'viewer',
    summary: 'Whether an answer might leave the session now, and why',
    params: sessionPath,
    problems: [404],
    answer: {
      what: 'What was decided; nothing was sent.',
      schema: shapeOf<SendPreview>(
        z.strictObject({
          override: z.looseObject({ mode: z.string() }).nullable().describe('What was said of this session.'),
          decision: z.looseObject({ allow: z.boolean(), reason: z.string() }),
        }),
      ),
    },
    handle: async ({ parts, params, gone }) => {
      const record = await resolveSession(parts, params.session);
      return lookAt(parts, record, async (session) => {
        const { key, channel, chatType, agentId, settings } = session.view;
        const delivery = {
          sessionKey: key,
          sessionId: session.sessionId,
          agentId,
          kind: 'reply',
          channel,
          chatType,
          recipient: null,
          addressed: 'mention',
          provenance: { kind: 'user' },
        } as const;
        const { delivery: _, ...decision } = await askDelivery(session, delivery, { signal: gone });
        const { send } = settings;
        return { override: readSendOverride(send), decision };
      });
    },
  }),
];

function settingNamed(name: string): SettingName {
  if (Object.hasOwn(changeable, name)) return name as SettingName;
  throw requestError(`There is no setting of that name; there are ${names}.`, { status: 404 });
}

/** What is stored: of an override, also when it was said. */
function stamped(name: SettingName, value: JsonValue, now: number): JsonValue {
  const isOverride = name === 'send' && typeof value === 'object' && value !== null && 'mode' in value;
  return isOverride ? { ...value, at: now } : value;
}
