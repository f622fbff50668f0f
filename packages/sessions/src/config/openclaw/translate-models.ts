import { putModel } from './model-text.ts';
import type { Translation } from './translation.ts';

/** What OpenClaw calls the protocols of providers. */
const protocols: Readonly<Record<string, string>> = {
  'anthropic-messages': 'anthropic',
  'openai-completions': 'openai-chat',
  'openai-responses': 'openai-responses',
};

/** Which models there are: the default one, short names, providers, and the sizes of their models. */
export function translateModels(translation: Translation): void {
  const { look, read, put } = translation;
  for (const from of [
    ['agents', 'defaults', 'model'],
    ['agent', 'model'],
  ]) {
    if (look(from) !== undefined) putModel(translation, { from, to: ['models', 'default'] });
  }
  const listed = ['agents', 'defaults', 'models'];
  for (const [name, about] of Object.entries(fieldsOf(look(listed)))) {
    const from = [...listed, name, 'alias'];
    const alias = read(from);
    if (typeof alias === 'string') put(['models', 'names', alias], name, from);
    // Without a short name it is only allowed, and here all are.
    else if (Object.keys(fieldsOf(about)).length === 0) read([...listed, name]);
  }
  const providers = ['models', 'providers'];
  for (const provider of Object.keys(fieldsOf(look(providers)))) translateProvider(translation, provider);
}

function translateProvider({ look, read, put, copy, warn }: Translation, provider: string): void {
  const from = ['models', 'providers', provider];
  copy([...from, 'baseUrl'], ['models', 'providers', provider, 'baseUrl']);
  const api = read([...from, 'api']);
  if (typeof api === 'string' && Object.hasOwn(protocols, api)) {
    put(['models', 'providers', provider, 'api'], protocols[api], [...from, 'api']);
  } else if (api !== undefined) warn([...from, 'api'], 'is a protocol that is not spoken here; it is not read.');
  if (read([...from, 'apiKey']) !== undefined) {
    warn([...from, 'apiKey'], 'is not read: keys of providers come from the environment.');
  }
  const models = look([...from, 'models']);
  if (!Array.isArray(models)) return;
  read([...from, 'models']);
  for (const [index, model] of models.entries()) {
    const { id, contextWindow, maxTokens } = fieldsOf(model);
    if (typeof id !== 'string') continue;
    if (contextWindow === undefined) {
      if (maxTokens !== undefined)
        warn([...from, 'models', index, 'maxTokens'], 'is not read without a contextWindow.');
      continue;
    }
    const facts = ['models', 'facts', `${provider}/${id}`];
    put([...facts, 'contextTokens'], contextWindow, [...from, 'models', index, 'contextWindow']);
    put([...facts, 'maxOutputTokens'], maxTokens, [...from, 'models', index, 'maxTokens']);
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
