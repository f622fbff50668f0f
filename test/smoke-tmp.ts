import { createHost, fold, memoryStore } from '@varve/core';
import { readTranscript } from '@varve/adapters/transcripts';
import { toAnthropic } from '@varve/adapters/anthropic';
const file=process.argv[2]!, budget=process.argv[3]==='none'?null:Number(process.argv[3]);
let now=0; const clock={now:()=>now,after:(ms:number,cb:()=>void)=>{const t=setTimeout(cb,ms);return()=>clearTimeout(t)}};
const store=memoryStore();
const host = await createHost({ store, clock, budget: { inputTokens: budget } });
const s = await host.open('a'); const model={provider:'anthropic',model:'m'};
const t=await readTranscript(file); let calls=0,comp=0,max=0,changed=0,unexp=0; const st:Record<string,number>={}; const t0=performance.now(); let ta=0, fails=0;
for await (const r of t.records()) {
  if (r.kind!=='message') continue;
  now=Math.max(now, r.at??now);
  if (r.call) { calls++;
    const a=performance.now();
    const pr=s.pressure({model});
    if(pr.level==='hard'||pr.level==='overflow'){ const o=await s.compact('overflow',{model}); st[o.status+':'+o.why.slice(0,40)]=(st[o.status+':'+o.why.slice(0,40)]??0)+1; if(process.env.V) console.log(calls,o.status,o.why,o.tokensBefore,o.tokensAfter); }
    try{ const p=await s.assemble({model}); max=Math.max(max,p.tokens); if(p.manifest.firstChangedByte!==null){changed++; if(!p.manifest.actions.length) {unexp++; console.log('unexplained',calls,p.manifest.firstChangedByte)}} toAnthropic(p,{model:'m'}); if(process.env.D==String(calls)) console.log(JSON.stringify(p.messages[0]).replaceAll('\\n','\n'));}catch(e){fails++; if(fails<4) console.log(calls,String(e))}
    ta+=performance.now()-a;
  }
  await s.ingest(r.message,{key:r.key,...(r.provenance?{provenance:r.provenance}:{})});
}
console.log({file,calls,st,max,changed,unexp,fails,ms:Math.round(performance.now()-t0),assembleMs:Math.round(ta)}, s.health());
