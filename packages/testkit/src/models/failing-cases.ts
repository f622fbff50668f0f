import { VarveError } from '@varve/core';
import { assertEqual, assertFails, assertThat } from '../assert.ts';
import { giveWay } from '../trial/trial-host.ts';
import {
  bothWays,
  type ModelPortCase,
  onPort,
  type PortOutcome,
  type PortTrial,
  requestOf,
} from './model-port-subject.ts';

const request = requestOf('What settles?');
const never = new Promise<void>(() => undefined);
const silent: PortOutcome = { kind: 'answer', text: 'Clay.', after: never };

/** Each way of a call fails with the code; `details` is what the error tells. */
async function assertAllFail(
  { port }: PortTrial,
  code: string,
  { when, details = {} }: { readonly when: string; readonly details?: Readonly<Record<string, unknown>> },
): Promise<void> {
  for (const options of bothWays) {
    let thrown: unknown = null;
    const attempt = (): Promise<unknown> =>
      port.generate(request, options).catch((error: unknown) => {
        thrown = error;
        throw error;
      });
    await assertFails(attempt, code, when);
    const told = VarveError.is(thrown) ? (thrown.details ?? {}) : {};
    for (const [field, value] of Object.entries(details))
      assertEqual((told as Readonly<Record<string, unknown>>)[field], value, `details.${field} of the error, ${when}`);
  }
}

/** What a port makes of failures. */
export const failingCases: readonly ModelPortCase[] = [
  onPort(
    'tells an input that is too long from other failures',
    {
      why: 'It is the one failure that compaction helps against; the turn goes on after it.',
      script: { kind: 'refuses', with: 'overflow' },
    },
    (trial) => assertAllFail(trial, 'VARVE_MODEL_OVERFLOW', { when: 'when the input is too long' }),
  ),
  onPort(
    'takes a body that the provider does not understand for no overflow',
    {
      why: 'A conversation would be compacted, and the call would fail again.',
      script: { kind: 'refuses', with: 'bad-request' },
    },
    (trial) =>
      assertAllFail(trial, 'VARVE_MODEL_FAILED', {
        when: 'when the body is not understood',
        details: { retryable: false },
      }),
  ),
  onPort(
    'says of a busy provider that it may be asked again',
    { why: 'A turn would end that needed nothing but a moment.', script: { kind: 'refuses', with: 'rate' } },
    (trial) =>
      assertAllFail(trial, 'VARVE_MODEL_FAILED', {
        when: 'when it is asked too often',
        details: { kind: 'rate', retryable: true },
      }),
  ),
  onPort(
    'says of a provider in trouble that it may be asked again',
    { why: 'A turn would end that needed nothing but a moment.', script: { kind: 'refuses', with: 'server' } },
    (trial) =>
      assertAllFail(trial, 'VARVE_MODEL_FAILED', {
        when: 'when the provider is in trouble',
        details: { kind: 'server', retryable: true },
      }),
  ),
  onPort(
    'says of a wrong key that asking again is of no use',
    {
      why: 'Accounts are locked for it, and the user is never told.',
      script: { kind: 'refuses', with: 'unauthorized' },
    },
    (trial) =>
      assertAllFail(trial, 'VARVE_MODEL_FAILED', {
        when: 'when the key is wrong',
        details: { kind: 'auth', retryable: false },
      }),
  ),
  onPort(
    'fails when the connection breaks, and says that it may be asked again',
    { why: 'A turn would end, or wait for ever, because of one lost packet.', script: { kind: 'hangs-up' } },
    (trial) =>
      assertAllFail(trial, 'VARVE_MODEL_FAILED', {
        when: 'when the connection breaks',
        details: { kind: 'network', retryable: true },
      }),
  ),
  onPort(
    'takes half a stream for no answer',
    { why: 'Half a message would be kept as what the model said.', script: { kind: 'ends-early' } },
    async ({ port }) => {
      await assertFails(() => port.generate(request, bothWays[1]), 'VARVE_MODEL_FAILED', 'when the stream ends early');
    },
  ),
  onPort(
    'asks nobody when its caller has gone before',
    { why: 'A call is paid for whose answer nobody wants.', script: { kind: 'answer', text: 'Clay.' } },
    async ({ port, bodies }) => {
      for (const options of bothWays) {
        const gone = { ...options, signal: AbortSignal.abort() };
        await assertFails(() => port.generate(request, gone), 'VARVE_ABORTED', 'when its caller has gone');
      }
      await giveWay(2);
      assertEqual(bodies.length, 0, 'the number of calls that the provider saw');
    },
  ),
  onPort(
    'gives up when its caller goes, before a word came',
    { why: 'A session cannot be closed, and the user cannot say something else.', script: silent },
    async ({ port, bodies, arrival }) => {
      for (const options of bothWays) {
        const controller = new AbortController();
        const next = bodies.length + 1;
        const reply = port.generate(request, { ...options, signal: controller.signal });
        await Promise.race([arrival(next), reply]);
        controller.abort();
        await assertFails(() => reply, 'VARVE_ABORTED', 'when its caller goes');
      }
    },
  ),
  onPort(
    'gives up when its caller goes, in the middle of an answer',
    {
      why: 'Half a message would be kept as what the model said.',
      script: { kind: 'answer', text: 'Clay settles last, and silt before it.', pause: never },
    },
    async ({ port }) => {
      const controller = new AbortController();
      const heard: string[] = [];
      const onDelta = ({ type }: { readonly type: string }): void => {
        heard.push(type);
        controller.abort();
      };
      await assertFails(
        () => port.generate(request, { signal: controller.signal, onDelta }),
        'VARVE_ABORTED',
        'when its caller goes',
      );
      assertThat(heard.length > 0, 'nothing was told of the answer before');
    },
  ),
  onPort(
    'can be called again after a failure',
    {
      why: 'One refusal would end every later turn.',
      script: (body) =>
        body.includes('again') ? { kind: 'answer', text: 'Clay.' } : { kind: 'refuses', with: 'rate' },
    },
    async ({ port }) => {
      await assertFails(() => port.generate(request), 'VARVE_MODEL_FAILED', 'when it is asked too often');
      assertEqual((await port.generate(requestOf('again'))).message.stop, 'stop', 'why the answer after it stopped');
    },
  ),
];
