import type { DialogueLanguage } from './dialogue-language.ts';

/** Dialogues in English. */
export const english: DialogueLanguage = {
  code: 'en',
  words: {
    person: [
      'Marla',
      'Tobin',
      'Ingrid',
      'Casper',
      'Yusuf',
      'Odette',
      'Ruben',
      'Philippa',
      'Anselm',
      'Noor',
      'Gideon',
      'Sunniva',
      'Barnaby',
      'Leocadia',
      'Tamsin',
      'Emeric',
    ],
    pet: ['Biscuit', 'Pepper', 'Captain', 'Olive'],
    city: ['Bergen', 'Ghent', 'Trieste', 'Cork', 'Aarhus', 'Porto', 'Gdansk', 'Nantes', 'Tartu', 'Lucca'],
    food: ['salmon', 'cheese rind', 'chicken liver', 'peanut butter', 'boiled rice', 'carrots'],
    hotel: ['Blue Anchor', 'Three Herons', 'Old Customs House', 'Miller Inn'],
    book: ['The Salt Ledger', 'A Winter in Marsh Lane', 'Nine Doors Down', 'The Clockmaker of Vigo'],
    drink: ['oat milk', 'a pinch of cinnamon', 'cold water', 'honey'],
    instrument: ['clarinet', 'accordion', 'viola', 'trombone', 'harp'],
    hall: ['corn exchange', 'chapel by the river', 'old gymnasium', 'town library'],
    date: ['the 9th of March', 'the 21st of June', 'the 4th of October', 'the 30th of January'],
    time: ['half past seven', 'quarter to nine', 'ten past four', 'eleven sharp', 'twenty to six'],
    age: ['84', '91', '87', '79'],
    weather: ['drizzle', 'bright sun', 'thick fog', 'a cold wind', 'heavy rain'],
    dish: ['lentil soup', 'mushroom risotto', 'fish pie', 'noodles with greens', 'potato pancakes', 'bean stew'],
  },
  facts: [
    {
      told: [
        [
          'My sister {person} moved to {city} in spring, she works at a shipyard there.',
          'That is a big step. I hope she settles in well.',
        ],
      ],
      question: 'In which city does my sister {person} live now?',
      gold: 'city',
    },
    {
      told: [
        [
          'I lent {person} {amount} euros for the car repair; it comes back in autumn, I was told.',
          'Good that you wrote it down.',
        ],
      ],
      question: 'How much money did I lend {person}?',
      gold: 'amount',
    },
    {
      told: [
        [
          'The code of the bicycle lock in the cellar is {code}, I always forget it.',
          'I will keep it in mind for you.',
        ],
      ],
      question: 'What do I have to dial to open the lock of my bike?',
      gold: 'code',
    },
    {
      told: [
        [
          'The vet says {pet} must not eat {food} any more, it upsets the stomach.',
          'Poor thing. I hope it gets better soon.',
        ],
      ],
      question: 'What should {pet} no longer be fed?',
      gold: 'food',
    },
    {
      told: [
        [
          'We booked the hotel {hotel} for the long weekend, room {number}, with a view of the harbour.',
          'A view of the harbour sounds lovely.',
        ],
      ],
      question: 'Which room number do we have in the hotel {hotel}?',
      gold: 'number',
    },
    {
      told: [['My grandmother turned {age} on Sunday and {person} baked the cake.', 'Congratulations to her!']],
      question: 'How old is my grandmother?',
      gold: 'age',
    },
    {
      told: [['The dentist has moved my appointment to {date}.', 'Noted, that leaves you some time.']],
      question: 'On which day do I have to be at the dentist?',
      gold: 'date',
    },
    {
      told: [
        [
          'I have finished {book}; the lighthouse keeper {person} was the one I liked most.',
          'Keepers of lighthouses make good characters.',
        ],
      ],
      question: 'Which character of {book} was my favourite?',
      gold: 'person',
    },
    {
      told: [
        ['For the record, I take my coffee with {drink} and never with sugar.', 'I will remember how you like it.'],
      ],
      question: 'How do I drink my coffee?',
      gold: 'drink',
    },
    {
      told: [
        ['Our neighbour {person} practises the {instrument} every evening until ten.', 'I hope the walls are thick.'],
      ],
      question: 'Which instrument does our neighbour {person} play?',
      gold: 'instrument',
    },
    {
      told: [
        ["The choir's concert will be in the {hall} this year.", 'That room has a fine echo.'],
        [
          'It is fixed now: the concert of the choir begins at {time}, not in the afternoon.',
          'So there is time for supper before it.',
        ],
      ],
      question: "Where is the choir's concert, and at what time does it begin?",
      gold: null,
    },
    {
      told: [
        ['The password of the guest network is {code}; give it to {person} when she comes.', 'I will, when she asks.'],
      ],
      question: 'What is the password of the guest network?',
      gold: 'code',
    },
  ],
  smallTalk: [
    [
      'We have {weather} again today, and I forgot my umbrella at {person}.',
      'Then it is a day for staying in, perhaps with a pot of tea.',
    ],
    [
      'What could I cook tonight? I have already had {dish} this week.',
      'How about {dish}? It takes half an hour and needs little.',
    ],
    [
      'The train to {city} was late once more, I read half of {book} on the platform.',
      'At least the book kept you company.',
    ],
    ['I tried to learn a piece on the {instrument} when I was a child.', 'It is never too late to begin again.'],
    [
      '{person} called and talked for an hour about a holiday in {city}.',
      'Long calls are sometimes the best part of a day.',
    ],
    ['Is it true that {dish} tastes better on the second day?', 'Often, yes: the spices have had time to spread.'],
    [
      'I could not sleep, so I sorted the photographs of our trip to {city}.',
      'Sorting photographs is a calm thing to do at night.',
    ],
    ['{person} thinks that {book} is far too long. I disagree.', 'A long book can be a good place to stay.'],
    ['The gym opens at {time} now, which is too early for me.', 'You could go in the evening, when it is quieter.'],
    [
      'Somebody left a bag of apples in front of the door. Perhaps {person}?',
      'A kind thing to do. Ask at the next opportunity.',
    ],
    ['With {weather} like this, {pet} refuses to go out.', 'Animals know what is good for them.'],
    ['I spent {amount} euros on seeds and pots for the balcony.', 'Then it will be green soon. What did you choose?'],
    ['Do you think {city} is worth a visit in November?', 'It is quiet then, and the museums are warm.'],
    ['The lift is broken again, and I live on the fifth floor.', 'Good for the legs, less so with shopping bags.'],
    ['At lunch {person} and I talked about who makes the best {dish}.', 'I hope the two of you came to a verdict.'],
    ['I think I will go to bed early and leave the dishes for tomorrow.', 'A sound plan. Sleep well.'],
    // The words of the questions, and nothing that answers them.
    ['The waiting room of the dentist has only old magazines, I counted them.', 'Bring {book} next time.'],
    ['My grandmother used to say that {dish} cures everything.', 'Grandmothers are often right about food.'],
    ['I saw a bicycle without any lock in front of the station, in {weather}.', 'Somebody trusts the world.'],
    ['My sister sent a postcard, but the stamp of {city} had fallen off.', 'A postcard is a postcard.'],
    ['The hotels in {city} are dear in summer, somebody said on the radio.', 'Out of season they are better.'],
    ['I always forget my passwords and have to set new ones at the office.', 'A password manager would help.'],
    ['The choir rehearsed twice this week, my voice is gone.', 'Tea with honey and some silence.'],
    ['I had three cups of coffee with {person} and cannot sit still.', 'Perhaps a walk would help.'],
    ['{pet} slept on the guest bed all afternoon.', 'A good place to sleep.'],
    ['Which stomach can take so much food as we had at the wedding in {city}?', 'A feast is a feast.'],
  ],
};
