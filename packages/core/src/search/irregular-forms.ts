/** English forms that no suffix rule leads back to their word: verbs first, then nouns and adjectives. */
export const irregularForms: ReadonlyMap<string, string> = readForms(
  'ate,eaten=eat became=become began,begun=begin bent=bend bit,bitten=bite bled=bleed blew,blown=blow ' +
    'broke,broken=break brought=bring built=build burnt=burn bought=buy caught=catch chose,chosen=choose came=come ' +
    'dealt=deal dug=dig drew,drawn=draw dreamt=dream drank,drunk=drink drove,driven=drive fell,fallen=fall fed=feed ' +
    'fought=fight flew,flown=fly forbade,forbidden=forbid forgot,forgotten=forget forgave,forgiven=forgive ' +
    'froze,frozen=freeze gave,given=give grew,grown=grow hung=hang heard=hear hid,hidden=hide held=hold kept=keep ' +
    'knew,known=know laid=lay led=lead leant=lean learnt=learn lent=lend lit=light lost=lose made=make meant=mean ' +
    'met=meet mistook,mistaken=mistake overcame=overcome paid=pay rebuilt=rebuild redid=redo rode,ridden=ride ' +
    'rang,rung=ring rose,risen=rise ran=run said=say saw,seen=see sought=seek sold=sell sent=send shook,shaken=shake ' +
    'shone=shine shot=shoot showed,shown=show shrank,shrunk=shrink sang,sung=sing sank,sunk=sink sat=sit slept=sleep ' +
    'spoke,spoken=speak spent=spend spun=spin stood=stand stole,stolen=steal stuck=stick struck=strike ' +
    'swore,sworn=swear swept=sweep swam,swum=swim swung=swing took,taken=take taught=teach tore,torn=tear told=tell ' +
    'thought=think threw,thrown=throw understood=understand undid,undone=undo woke,woken=wake wore,worn=wear won=win ' +
    'wrote,written=write withdrew,withdrawn=withdraw ' +
    'children=child feet=foot geese=goose knives=knife lives=life men=man mice=mouse people=person teeth=tooth ' +
    'wives=wife women=woman leaves=leaf shelves=shelf loaves=loaf wolves=wolf halves=half indices=index ' +
    'matrices=matrix vertices=vertex analyses=analysis criteria=criterion better,best=good worse,worst=bad ' +
    'older,oldest,elder,eldest=old',
);

function readForms(table: string): ReadonlyMap<string, string> {
  const pairs = table.split(' ').flatMap((line) => {
    const [forms = '', base = ''] = line.split('=');
    return forms.split(',').map((form) => [form, base] as const);
  });
  return new Map(pairs);
}
