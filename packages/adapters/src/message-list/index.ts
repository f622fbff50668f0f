export { type AskWithListOptions, askWithList, type ListPrompt } from './ask-with-list.ts';
export {
  type AddToListOptions,
  addToList,
  type FollowedList,
  type FollowListOptions,
  followMessageList,
} from './follow-message-list.ts';
export { type HostShareOptions, hostShare } from './host-share.ts';
export type { ListedMessage } from './listed-message.ts';
