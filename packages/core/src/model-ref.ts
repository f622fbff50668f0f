/** Names a model. Windows, prices and calibration are kept by provider and model, never across a switch. */
export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

/** The form in which entries name a model: `provider/model`. */
export function nameOfModel({ provider, model }: ModelRef): string {
  return `${provider}/${model}`;
}

/**
 * The model that is meant by a short name of `names`, by `provider/model`, or by `provider:model`; `null` for what names
 * none. Short names, and the whole ones behind them, are known in whatever case; other models are named letter by letter.
 */
export function modelOfName(name: string, names: Readonly<Record<string, string>> = {}): ModelRef | null {
  const given = name.trim();
  const wanted = comparable(given);
  const known = Object.entries(names).find((pair) => pair.some((one) => comparable(one) === wanted));
  const full = Object.hasOwn(names, given) ? names[given] : known?.[1];
  const [, provider, model] = /^([^\s/:]+)[/:](\S+)$/.exec((full ?? given).trim()) ?? [];
  return provider === undefined || model === undefined ? null : { provider, model };
}

function comparable(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^([^/:]+):/, '$1/');
}
