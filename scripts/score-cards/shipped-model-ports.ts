// The model ports that ship, for `varve plugin check`: each function gives one around the real client of its provider,
// which speaks to a model server on this machine.
export {
  openAnthropicModel,
  openOpenAIChatModel,
  openOpenAIResponsesModel,
} from '../../packages/testkit/test/subjects/shipped-model-ports.ts';
