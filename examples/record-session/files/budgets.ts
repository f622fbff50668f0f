import { type BudgetOptions, resolveBudget, VarveError } from '@varve/core';

const wishes: Record<string, BudgetOptions> = {
  'window of 200k': {},
  'window of 200k, 12k of tools': { reservedTokens: 12_000 },
  'prompt of 32k': { inputTokens: 32_000 },
  'prompt of 32k, 12k of tools': { inputTokens: 32_000, reservedTokens: 12_000 },
  'prompt of 16k, 12k of tools': { inputTokens: 16_000, reservedTokens: 12_000 },
  'prompt of 8k, 12k of tools': { inputTokens: 8_000, reservedTokens: 12_000 },
};
for (const [name, options] of Object.entries(wishes)) {
  try {
    const { input, hard, soft, target, history } = resolveBudget(options);
    const numbers = Object.entries({ input, hard, soft, target, history });
    console.log(`${name.padEnd(30)}${numbers.map(([part, tokens]) => `${part} ${Math.floor(tokens)}`).join(', ')}`);
  } catch (error) {
    if (!VarveError.is(error)) throw error;
    console.log(`${name.padEnd(30)}${error.code}: ${error.message}`);
  }
}
