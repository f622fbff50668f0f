import { estimateTokens, heuristicCounter } from '@varve/core';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const texts = {
  散文: '湖底每年沉积一层细泥，冬天的一层颜色深，夏天的一层颜色浅。地质学家数这些层，就像数树的年轮一样，可以知道几千年前哪一年下过大雨。湖水从来不会丢掉任何一层，只是越往下，压得越紧。',
  技术: '调用 session.assemble() 之前，先用 session.ingest() 写入消息；预算是 32000 个 token，其中 12000 个留给系统提示和工具定义。超过上限的 95 % 时，引擎会丢弃最旧的一组消息，但不会把工具调用和它的结果分开。',
  日志: '[08:14:09] 网关：会话 main 被进程 20817 锁定（VARVE_STORE_LOCKED），五秒后重试。\n[08:14:14] 网关：锁已释放。\n[08:14:15] 网关：已启动，健康检查在 127.0.0.1:7411。',
  聊天: '你好！昨天说的那个端口号是多少来着？我想在演示之前再试一次，不过电脑换了，脚本也找不到了，麻烦你再发我一遍，谢谢啦。',
  English:
    'Every year one layer of fine mud is laid down on the bed of the lake, dark in winter and light in summer. Geologists count these layers as others count the rings of a tree, and know in which year, thousands of years ago, it rained hard.',
};

console.log('text      characters  o200k  estimate   error  rule of thumb   error  characters a token');
for (const [name, text] of Object.entries(texts)) {
  const exact = countTokens(text);
  const [estimate, thumb] = [estimateTokens(text), heuristicCounter.count(text)];
  const errorOf = (tokens: number) => `${(((tokens - exact) / exact) * 100).toFixed(1)} %`.padStart(8);
  const width = /\p{Script=Han}/u.test(name) ? 8 : 10;
  console.log(
    `${name.padEnd(width)}${String(text.length).padStart(10)}${String(exact).padStart(7)}${String(estimate).padStart(10)}` +
      `${errorOf(estimate)}${String(thumb).padStart(15)}${errorOf(thumb)}${(text.length / exact).toFixed(2).padStart(20)}`,
  );
}
