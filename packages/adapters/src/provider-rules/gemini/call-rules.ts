import { fieldsOf, isFilled, isObject, repeatedNames, stringOf } from '../json-fields.ts';
import type { ProviderRule, RuleFinding } from '../provider-rule.ts';
import {
  callingParts,
  callOf,
  declarationsOf,
  type GeminiPart,
  partsOf,
  respondingParts,
  responseOf,
  turnsOf,
} from './gemini-body.ts';

const provider = 'gemini';
const hello = { role: 'user', parts: [{ text: 'hello' }] };
const called = { functionCall: { name: 'read', args: { path: 'a' } } };
const answered = { functionResponse: { name: 'read', response: { output: 'ok' } } };
const calling = { role: 'model', parts: [called] };
const responding = { role: 'user', parts: [answered] };
const names = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

/** Models that ask for their signatures back. */
const signingModels = /^(models\/)?gemini-3/;

function nameOf(part: GeminiPart): string {
  const { name } = callOf(part) ?? responseOf(part) ?? part.fields;
  return stringOf(name);
}

/** Rules for calls of functions and their responses. */
export const callRules: readonly ProviderRule[] = [
  {
    id: 'call-behind-user',
    provider,
    text: 'A turn that calls stands right behind one of the user.',
    source: 'https://github.com/google-gemini/gemini-cli/issues/26486',
    failing: { contents: [hello, { role: 'model', parts: [{ text: 'hm' }] }, calling, responding] },
    find(body) {
      return turnsOf(body).flatMap((turn, index, all): RuleFinding[] => {
        const before = all[index - 1];
        if (callingParts(turn).length === 0 || (before !== undefined && before.role !== 'model')) return [];
        return [{ path: turn.path, text: 'no turn of the user stands before it' }];
      });
    },
  },
  {
    id: 'response-behind-call',
    provider,
    text: 'A turn of responses stands right behind the turn with the calls.',
    source: 'https://github.com/GoogleCloudPlatform/generative-ai/pull/368',
    failing: { contents: [hello, { role: 'model', parts: [{ text: 'hm' }] }, responding] },
    find(body) {
      return turnsOf(body).flatMap((turn, index, all): RuleFinding[] => {
        const isStray = respondingParts(turn).length > 0 && callingParts(all[index - 1]).length === 0;
        return isStray ? [{ path: turn.path, text: 'no call stands before it' }] : [];
      });
    },
  },
  {
    id: 'as-many-responses',
    provider,
    text: 'A turn that calls is followed by as many responses as it has calls.',
    source: 'https://github.com/google-gemini/gemini-cli/issues/17208',
    failing: { contents: [hello, { role: 'model', parts: [called, called] }, responding] },
    find(body) {
      return turnsOf(body).flatMap((turn, index, all): RuleFinding[] => {
        const calls = callingParts(turn).length;
        const next = all[index + 1];
        const responses = respondingParts(next).length;
        if (calls === 0 || next === undefined || calls === responses) return [];
        return [{ path: turn.path, text: `${calls} calls are followed by ${responses} responses` }];
      });
    },
  },
  {
    id: 'function-name',
    provider,
    text: 'A name of a function begins with a letter or "_" and has at most 64 letters, digits, "_", ".", ":" and "-".',
    source: 'https://github.com/kaitranntt/ccs/issues/25',
    failing: { contents: [hello], tools: [{ functionDeclarations: [{ name: '1st tool' }] }] },
    find(body) {
      const parts = partsOf(body).filter((part) => callOf(part) ?? responseOf(part));
      return [...declarationsOf(body), ...parts]
        .filter((part) => !names.test(nameOf(part)))
        .map((part) => ({ path: part.path, text: `"${nameOf(part)}" is no such name` }));
    },
  },
  {
    id: 'own-function-name',
    provider,
    text: 'No two functions have one name.',
    source: 'https://ai.google.dev/gemini-api/docs/function-calling',
    failing: { contents: [hello], tools: [{ functionDeclarations: [{ name: 'read' }, { name: 'read' }] }] },
    find(body) {
      const named = declarationsOf(body).map((part) => ({ name: nameOf(part), path: part.path }));
      return repeatedNames(named).map(({ name, path }) => ({ path, text: `the name "${name}" is taken` }));
    },
  },
  {
    id: 'properties-filled',
    provider,
    text: 'Parameters of the type object have properties; a function without any has no parameters.',
    source: 'https://github.com/AstrBotDevs/AstrBot/issues/288',
    failing: {
      contents: [hello],
      tools: [{ functionDeclarations: [{ name: 'read', parameters: { type: 'OBJECT', properties: {} } }] }],
    },
    find(body) {
      return declarationsOf(body).flatMap(({ fields: { parameters }, path }) => {
        const { type, properties } = fieldsOf(parameters);
        const isEmpty = Object.keys(fieldsOf(properties)).length === 0;
        if (stringOf(type).toLowerCase() !== 'object' || !isEmpty) return [];
        return [{ path: `${path}.parameters`, text: 'there are no properties' }];
      });
    },
  },
  {
    id: 'call-args-object',
    provider,
    text: 'The arguments of a call are an object.',
    source: 'https://ai.google.dev/api/caching',
    failing: {
      contents: [hello, { role: 'model', parts: [{ functionCall: { name: 'read', args: '{}' } }] }, responding],
    },
    find(body) {
      return partsOf(body).flatMap((part) => {
        const { args } = callOf(part) ?? {};
        return args === undefined || isObject(args) ? [] : [{ path: part.path, text: 'the arguments are no object' }];
      });
    },
  },
  {
    id: 'response-object',
    provider,
    text: 'A response is an object.',
    source: 'https://ai.google.dev/api/caching',
    failing: {
      contents: [hello, calling, { role: 'user', parts: [{ functionResponse: { name: 'read', response: 'ok' } }] }],
    },
    find(body) {
      return partsOf(body).flatMap((part) => {
        const { response } = responseOf(part) ?? { response: {} };
        return isObject(response) ? [] : [{ path: part.path, text: 'the response is no object' }];
      });
    },
  },
  {
    id: 'call-signed',
    provider,
    text: 'Models from Gemini 3 on want the thought signature back with the first call of a turn.',
    source: 'https://github.com/nanbingxyz/5ire/issues/405',
    failing: { model: 'gemini-3-pro', contents: [hello, calling, responding] },
    find(body) {
      const { model } = fieldsOf(body);
      if (!signingModels.test(stringOf(model))) return [];
      return turnsOf(body).flatMap((turn): RuleFinding[] => {
        const [first] = callingParts(turn);
        const { thoughtSignature, thought_signature } = first?.fields ?? {};
        if (first === undefined || isFilled(thoughtSignature ?? thought_signature)) return [];
        return [{ path: first.path, text: 'there is no signature' }];
      });
    },
  },
];
