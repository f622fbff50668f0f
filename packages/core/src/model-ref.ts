/** Names a model. Windows, prices and calibration are kept by provider and model, never across a switch. */
export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

/** The form in which entries name a model: `provider/model`. */
export function nameOfModel({ provider, model }: ModelRef): string {
  return `${provider}/${model}`;
}
