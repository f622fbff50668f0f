import type { Translation } from './translation.ts';

/** The send policy, in either of its forms. */
export function translateSend({ read, look, put, warn }: Translation): void {
  const at = ['session', 'sendPolicy'];
  const policy = look(at);
  if (typeof policy !== 'object' || policy === null) {
    put(at, read(at), at);
    return;
  }
  for (const name of Object.keys(policy)) {
    const from = [...at, name];
    const value = read(from);
    if (name !== 'rules' || !Array.isArray(value)) put(from, value, from);
    else put(from, value.map(withAction), from);
  }
  if (Object.hasOwn(policy, 'block')) {
    warn(
      [...at, 'block'],
      'is one more rule that denies: no reply, typing, reaction or announcement leaves such chats.',
    );
  }
  const rules = look([...at, 'rules']);
  if (!Array.isArray(rules)) return;
  const silent = rules.findIndex((rule) => isRule(rule) && !('action' in rule));
  if (silent >= 0) warn([...at, 'rules', silent], 'has no action and allows, as OpenClaw reads it.');
}

function withAction(rule: unknown): unknown {
  return isRule(rule) && !('action' in rule) ? { ...rule, action: 'allow' } : rule;
}

function isRule(rule: unknown): rule is Readonly<Record<string, unknown>> {
  return typeof rule === 'object' && rule !== null && !Array.isArray(rule);
}
