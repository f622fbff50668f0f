import type { DialogueLanguage } from './dialogue-language.ts';

/** Dialogues in German. */
export const german: DialogueLanguage = {
  code: 'de',
  words: {
    person: [
      'Roswitha',
      'Jannik',
      'Ottilie',
      'Hannes',
      'Leyla',
      'Friedrun',
      'Kilian',
      'Swantje',
      'Bertram',
      'Amalia',
      'Torben',
      'Gesine',
      'Ludger',
      'Marlies',
      'Enno',
      'Philine',
    ],
    pet: ['Krümel', 'Mohrle', 'Bosse', 'Nuss'],
    city: ['Husum', 'Görlitz', 'Bregenz', 'Lübeck', 'Marburg', 'Passau', 'Linz', 'Stralsund', 'Konstanz', 'Erfurt'],
    food: ['Lachs', 'Käserinde', 'Hühnerleber', 'Erdnussbutter', 'gekochten Reis', 'Möhren'],
    hotel: ['Blauer Anker', 'Drei Reiher', 'Altes Zollhaus', 'Müllerhof'],
    book: ['Das Salzbuch', 'Ein Winter im Moorweg', 'Neun Türen weiter', 'Der Uhrmacher von Vigo'],
    drink: ['Hafermilch', 'einer Prise Zimt', 'kaltem Wasser', 'Honig'],
    instrument: ['Klarinette', 'Akkordeon', 'Bratsche', 'Posaune', 'Harfe'],
    hall: ['Kornspeicher', 'Kapelle am Fluss', 'alte Turnhalle', 'Stadtbücherei'],
    date: ['den 9. März', 'den 21. Juni', 'den 4. Oktober', 'den 30. Januar'],
    time: ['halb acht', 'Viertel vor neun', 'zehn nach vier', 'punkt elf', 'zwanzig vor sechs'],
    age: ['84', '91', '87', '79'],
    weather: ['Nieselregen', 'Sonnenschein', 'dichten Nebel', 'kalten Wind', 'Dauerregen'],
    dish: ['Linsensuppe', 'Pilzrisotto', 'Fischauflauf', 'Nudeln mit Mangold', 'Kartoffelpuffer', 'Bohneneintopf'],
  },
  facts: [
    {
      told: [
        [
          'Meine Schwester {person} ist im Frühjahr nach {city} gezogen, sie arbeitet dort auf einer Werft.',
          'Ein großer Schritt. Hoffentlich lebt sie sich gut ein.',
        ],
      ],
      question: 'In welcher Stadt wohnt meine Schwester {person} jetzt?',
      gold: 'city',
    },
    {
      told: [
        [
          'Ich habe {person} {amount} Euro für die Autoreparatur geliehen, im Herbst bekomme ich es zurück.',
          'Gut, dass du es dir gemerkt hast.',
        ],
      ],
      question: 'Wie viel Geld habe ich {person} geliehen?',
      gold: 'amount',
    },
    {
      told: [
        ['Der Code vom Fahrradschloss im Keller ist {code}, den vergesse ich immer.', 'Ich behalte ihn für dich.'],
      ],
      question: 'Was muss ich einstellen, um das Schloss an meinem Rad zu öffnen?',
      gold: 'code',
    },
    {
      told: [
        [
          'Die Tierärztin sagt, {pet} darf kein Stück {food} mehr bekommen, das schlägt auf den Magen.',
          'Armes Tier. Gute Besserung.',
        ],
      ],
      question: 'Was soll {pet} nicht mehr fressen?',
      gold: 'food',
    },
    {
      told: [
        [
          'Wir haben das Hotel {hotel} für das lange Wochenende gebucht, Zimmer {number} mit Blick auf den Hafen.',
          'Blick auf den Hafen, das klingt schön.',
        ],
      ],
      question: 'Welche Zimmernummer haben wir im Hotel {hotel}?',
      gold: 'number',
    },
    {
      told: [
        [
          'Meine Großmutter ist am Sonntag {age} geworden, und {person} hat den Kuchen gebacken.',
          'Herzlichen Glückwunsch an sie!',
        ],
      ],
      question: 'Wie alt ist meine Großmutter?',
      gold: 'age',
    },
    {
      told: [['Der Zahnarzt hat meinen Termin auf {date} verlegt.', 'Notiert, dann hast du noch etwas Zeit.']],
      question: 'An welchem Tag muss ich zum Zahnarzt?',
      gold: 'date',
    },
    {
      told: [
        [
          'Ich bin mit {book} durch; am liebsten mochte ich die Figur {person} im Leuchtturm.',
          'Leuchtturmwärter sind dankbare Figuren.',
        ],
      ],
      question: 'Welche Figur aus {book} war mir die liebste?',
      gold: 'person',
    },
    {
      told: [['Für die Akten: Kaffee trinke ich mit {drink} und nie mit Zucker.', 'Ich merke mir, wie du ihn magst.']],
      question: 'Wie trinke ich meinen Kaffee?',
      gold: 'drink',
    },
    {
      told: [
        [
          'Nebenan übt {person} jeden Abend bis zehn auf dem Instrument {instrument}.',
          'Hoffentlich sind die Wände dick.',
        ],
      ],
      question: 'Welches Instrument spielt {person} nebenan?',
      gold: 'instrument',
    },
    {
      told: [
        ['Das Chorkonzert ist dieses Jahr hier: {hall}.', 'Der Raum hat einen schönen Hall.'],
        [
          'Jetzt steht es fest: Das Konzert vom Chor fängt um {time} an, nicht am Nachmittag.',
          'Dann bleibt vorher Zeit für ein Abendessen.',
        ],
      ],
      question: 'Wo ist das Chorkonzert, und um wie viel Uhr fängt es an?',
      gold: null,
    },
    {
      told: [
        ['Das Passwort für das Gäste-WLAN ist {code}; gib es {person}, falls danach gefragt wird.', 'Das mache ich.'],
      ],
      question: 'Wie lautet das Passwort für das Gäste-WLAN?',
      gold: 'code',
    },
  ],
  smallTalk: [
    [
      'Heute haben wir wieder {weather}, und mein Schirm liegt bei {person}.',
      'Dann ist es ein Tag für drinnen, vielleicht mit einer Kanne Tee.',
    ],
    [
      'Was koche ich heute Abend? {dish} gab es diese Woche schon.',
      'Wie wäre es mit {dish}? Das dauert eine halbe Stunde.',
    ],
    [
      'Der Zug nach {city} war schon wieder zu spät, ich habe auf dem Bahnsteig {book} gelesen.',
      'Immerhin hattest du Gesellschaft.',
    ],
    ['Als Kind wollte ich {instrument} lernen, daraus ist nie etwas geworden.', 'Zum Anfangen ist es nie zu spät.'],
    [
      '{person} hat angerufen und eine Stunde vom Urlaub in {city} erzählt.',
      'Lange Gespräche sind manchmal das Beste am Tag.',
    ],
    ['Stimmt es, dass {dish} am zweiten Tag besser schmeckt?', 'Oft ja, die Gewürze hatten Zeit.'],
    ['Ich konnte nicht schlafen und habe die Bilder von der Reise nach {city} sortiert.', 'Bilder sortieren beruhigt.'],
    ['{person} findet {book} viel zu lang. Ich nicht.', 'In einem langen Buch kann man gut wohnen.'],
    ['Das Schwimmbad macht jetzt um {time} auf, das ist mir zu früh.', 'Abends ist es ohnehin leerer.'],
    [
      'Jemand hat eine Tüte Äpfel vor die Tür gestellt. Vielleicht {person}?',
      'Eine nette Geste. Frag bei Gelegenheit nach.',
    ],
    ['Durch {weather} will {pet} heute nicht hinaus.', 'Tiere wissen, was ihnen guttut.'],
    [
      'Ich habe {amount} Euro für Samen und Töpfe auf dem Balkon ausgegeben.',
      'Dann wird es bald grün. Was hast du gewählt?',
    ],
    ['Lohnt sich {city} im November?', 'Dann ist es ruhig, und die Museen sind warm.'],
    [
      'Der Aufzug ist schon wieder kaputt, und ich wohne im fünften Stock.',
      'Gut für die Beine, weniger gut mit Einkäufen.',
    ],
    ['Beim Mittagessen haben {person} und ich über {dish} gestritten.', 'Hoffentlich mit einem klaren Ergebnis.'],
    ['Ich gehe früh ins Bett und lasse den Abwasch stehen.', 'Ein guter Plan. Schlaf gut.'],
    // The words of the questions, and nothing that answers them.
    [
      'Im Wartezimmer vom Zahnarzt liegen nur alte Zeitschriften, ich habe sie gezählt.',
      'Nimm beim nächsten Mal {book} mit.',
    ],
    ['Meine Großmutter sagte immer, {dish} hilft gegen alles.', 'Großmütter haben beim Essen oft recht.'],
    ['Vor dem Bahnhof stand ein Fahrrad ganz ohne Schloss.', 'Da vertraut jemand der Welt.'],
    ['Meine Schwester hat eine Karte geschickt, die Briefmarke aus {city} ist abgefallen.', 'Karte ist Karte.'],
    ['Hotels in {city} sind im Sommer teuer, hieß es im Radio.', 'Außerhalb der Saison ist es besser.'],
    ['Im Büro vergesse ich jedes Passwort und muss ein neues setzen.', 'Ein Passwortspeicher würde helfen.'],
    ['Der Chor hat diese Woche zweimal geprobt, meine Stimme ist weg.', 'Tee und ein wenig Ruhe.'],
    [
      'Ich habe mit {person} drei Tassen Kaffee getrunken und kann nicht still sitzen.',
      'Vielleicht hilft ein Spaziergang.',
    ],
    ['{pet} hat den ganzen Nachmittag auf dem Gästebett geschlafen.', 'Ein guter Platz zum Schlafen.'],
    ['Welcher Magen verträgt so viel wie auf der Hochzeit in {city}?', 'Ein Fest ist ein Fest.'],
  ],
};
