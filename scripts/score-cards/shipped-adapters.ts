// The adapters that ship, for `varve plugin check`.
export {
  anthropicAdapter,
  openaiChatAdapter,
  openaiResponsesAdapter,
} from '../../packages/testkit/test/subjects/shipped-adapters.ts';
