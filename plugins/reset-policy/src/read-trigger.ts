import { type CommandSender, type ModelRef, modelOfName, nameOfModel } from '@varve/core';
import type { ResolvedOptions } from './reset-policy-options.ts';

/** What is behind a trigger: perhaps a model, perhaps the first message, or a model that nobody knows. */
export type TriggerRest =
  | { readonly model: string | null; readonly message: string | null }
  | { readonly unknownModel: string };

/** True for a line that is one of the triggers, alone or with more behind it. */
export function isTrigger(text: string, { triggers }: Pick<ResolvedOptions, 'triggers'>): boolean {
  const [, word] = /^\s*(\/[a-z][\w-]*)(?:\s|$)/i.exec(text) ?? [];
  return word !== undefined && triggers.some((trigger) => trigger.toLowerCase() === word.toLowerCase());
}

/** True for a person who may use the triggers. Where nobody is known, the host answers for who writes commands. */
export function isAuthorised(
  sender: CommandSender | null,
  { authorised: { roles, ids } }: Pick<ResolvedOptions, 'authorised'>,
): boolean {
  return sender === null || roles.includes(sender.role ?? 'unknown') || ids.includes(sender.id);
}

/**
 * Reads what stands behind a trigger. A model is its short name, `provider/model`, `provider:model`, or `provider model`,
 * whatever the case, and it must be known. What looks like a model and is none is not taken for a message: somebody misspelt it.
 */
export function readTriggerRest(rest: string, { models }: Pick<ResolvedOptions, 'models'>): TriggerRest {
  const [first, second] = rest.split(/\s+/, 2);
  if (first === undefined || first === '') return { model: null, message: null };
  const messageBehind = (words: RegExp) => rest.replace(words, '').trim() || null;
  const ofOne = modelNamed(first, models);
  if (ofOne !== undefined) return { model: ofOne, message: messageBehind(/^\S+/) };
  const ofTwo = second === undefined ? undefined : modelNamed(`${first}/${second}`, models);
  if (ofTwo !== undefined) return { model: ofTwo, message: messageBehind(/^\S+\s+\S+/) };
  if (looksLikeModel(first, { models, isAlone: second === undefined || second === '' })) return { unknownModel: first };
  return { model: null, message: rest };
}

function modelNamed(name: string, models: ResolvedOptions['models']): string | undefined {
  const ref = modelOfName(name, models);
  const isKnown = ref !== null && Object.values(models).some((model) => isSame(modelOfName(model), ref));
  return isKnown ? nameOfModel(ref) : undefined;
}

function isSame(one: ModelRef | null, other: ModelRef): boolean {
  return one?.provider === other.provider && one.model === other.model;
}

/** One word with a digit, dash or slash in it that stands alone, or begins as a known model or provider does. */
function looksLikeModel(
  word: string,
  { models, isAlone }: { readonly models: ResolvedOptions['models']; readonly isAlone: boolean },
): boolean {
  if (!/^[a-z0-9][\w.:/-]*[a-z0-9]$/i.test(word) || !/[a-z]/i.test(word) || !/[\d/-]/.test(word)) return false;
  const familyOf = (name: string) => name.toLowerCase().split(/[/:-]/, 1)[0];
  const known = Object.entries(models).flatMap(([alias, model]) => [alias, model, model.slice(model.indexOf('/') + 1)]);
  return isAlone || known.some((name) => familyOf(name) === familyOf(word));
}
