/**
 * Words that stand in nearly every sentence and tell nothing about it, in English, German, French and Spanish, without
 * accents. A word that means something in another of these languages is left out: `die`, `hat`, `war`, `sin`, `pour`.
 */
export const stopWords: ReadonlySet<string> = new Set(
  // English, with what is left of contractions.
  (
    'a an the and or but if then else of to in on at by for with from as is are was were be been being am do does did ' +
    'doing done have has had having i me my mine myself you your yours yourself he him his himself she her hers herself ' +
    'it its itself we us our ours ourselves they them their theirs themselves this that these those there here what ' +
    'which who whom whose when where why how all any both each few more most other others some such no nor not only own ' +
    'same so than too very can could will would shall should may might must just about into over under after before ' +
    'again once also because while until during between through against up down out off both either neither ever never ' +
    'let lets get gets got go goes going went gone like really yeah yes yep oh ah ok okay well hey hi hello thanks ' +
    'thank please much many lot lots one thing things something anything nothing still even though although since ' +
    'd ll m re s t ve don didn doesn isn aren wasn weren haven hasn hadn won wouldn couldn shouldn ain im ive youre thats ' +
    // German.
    'der das den dem ein eine einen einem einer eines und oder aber wenn dann ich mich mir du dich dir sie wir ' +
    'uns ihr ihnen sich mein dein sein ist sind bist waren wird werden wurde wurden haben habe hast hatte hatten ' +
    'nicht kein keine von vom zu zum zur auf aus bei nach fur uber unter um auch noch schon nur sehr als wie wer wo ' +
    'warum welche welcher welches dass ja nein diese dieser dieses ' +
    // French.
    'le les l un une des du de ou mais si je tu il elle nous vous ils elles moi toi lui leur mon ton ma ta sa mes ' +
    'tes ses notre votre nos vos ce cet cette ces qui que quoi dont est sont suis etes etait etaient ete etre ai avons ' +
    'avez ont avait avaient avoir ne pas au aux dans par avec plus tres aussi y en se ' +
    // Spanish.
    'el los las unos unas una y o pero mas yo tu ella nosotros ellos ellas mi sus nuestro nuestra lo les se que quien ' +
    'cual cuando donde como por para con del al es son soy eres era eran fue fueron ser estar esta estan este esto esos ' +
    'ese esa ha han he hemos habia muy tambien ya'
  ).split(' '),
);
