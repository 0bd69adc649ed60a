import type { Scene } from './landscape.ts'

/** A post of the blog, which calls them letters. They are numbered, not dated: the demo is made on any day. */
export interface Letter {
  readonly number: number
  readonly title: string
  readonly author: string
  readonly minutes: number
  readonly scene: Scene
  readonly lede: string
  readonly more: string
}

/** Newest first. */
export const letters: readonly Letter[] = [
  {
    number: 24,
    title: 'Your plan now repairs itself while you sleep',
    author: 'Ida',
    minutes: 6,
    scene: 'night',
    lede: 'Somewhere near Hanover, at half past two, a night train stands still for forty minutes. You are asleep. This is the story of what Fernweh does in those forty minutes.',
    more: 'It looks at every change you have ahead, asks how long you walk, and quietly moves breakfast from Basel to Zürich.',
  },
  {
    number: 22,
    title: 'The view is on the left, and we can prove it',
    author: 'Tomasz',
    minutes: 5,
    scene: 'coast',
    lede: 'We took a height map, the path of the sun and 61,000 kilometres of track, and asked which window is the better one.',
    more: 'The answer changes eleven times between Genoa and Pisa.',
  },
  {
    number: 19,
    title: 'In praise of the forty-minute change',
    author: 'Jonas',
    minutes: 4,
    scene: 'city',
    lede: 'Seven minutes make a good machine and a bad afternoon. Forty make time for soup, a stamp and a look at the river.',
    more: 'Why our favourite connections are the ones nobody else would show you.',
  },
  {
    number: 17,
    title: 'Thirty-one countries, and the gaps in between',
    author: 'Ida',
    minutes: 7,
    scene: 'viaduct',
    lede: 'A border is where two timetables pretend not to know each other. We spent the spring introducing them.',
    more: 'Some of it was done with software, and some of it with cake.',
  },
  {
    number: 14,
    title: 'What the dog taught us about luggage rules',
    author: 'Leni',
    minutes: 3,
    scene: 'forest',
    lede: 'Our office dog has now been on the trains of nine countries. In two of them she is a bicycle.',
    more: 'We wrote all of it down, so that you do not need to argue with anyone in a language you are still learning.',
  },
  {
    number: 9,
    title: 'We redrew everything, and kept the map',
    author: 'Jonas',
    minutes: 4,
    scene: 'coast',
    lede: 'The old page was brown because we liked brown. The new one is lighter, loads in a blink and fits on a phone.',
    more: 'The thing you used it for has not moved: two places go in, and one plan comes out.',
  },
  {
    number: 5,
    title: 'A thousand journeys',
    author: 'Ida',
    minutes: 2,
    scene: 'peaks',
    lede: 'Yesterday somebody in Ghent planned the thousandth journey. It goes to Bari, it takes two days, and it has an excellent lunch in Milan.',
    more: 'We wrote to ask how it went. The answer was a photograph of a plate of pasta and the words “as planned”, which we have pinned above the desk.',
  },
  {
    number: 4,
    title: 'Counting steps in Cologne',
    author: 'Jonas',
    minutes: 5,
    scene: 'city',
    lede: 'The timetable says that four minutes are enough. We walked from platform 1 to platform 11 with a suitcase, a pram and a cello, and we beg to differ.',
    more: 'From today every change in Fernweh knows how far it is. If you would have to run, we do not call it a connection. There are 212 stations left to walk, and we accept help from anyone with sturdy shoes.',
  },
  {
    number: 3,
    title: 'Night trains, or how to be in two places',
    author: 'Ida',
    minutes: 4,
    scene: 'night',
    lede: 'You lie down in one language and wake up in another. No other way of travelling gives back as much time as it takes.',
    more: 'So the planner now looks for a bed before it looks for speed. It found eleven lines that we had never heard of, and we are trying them one by one. Somebody has to.',
  },
  {
    number: 2,
    title: 'Why there are only three answers',
    author: 'Jonas',
    minutes: 3,
    scene: 'forest',
    lede: 'Our first version found 140 ways from Leipzig to Turin. All of them were correct, and none of them was any help.',
    more: 'Now there are three: the quick one, the quiet one and the one with the view. If you miss the other 137, write to us, and we will send them on paper.',
  },
  {
    number: 1,
    title: 'Hello from coach 14',
    author: 'Ida and Jonas',
    minutes: 2,
    scene: 'viaduct',
    lede: 'We are two people who like to arrive slowly. For years we planned our trips with twelve open tabs and a pencil. This is our attempt to keep the pencil and close the tabs.',
    more: 'It knows seven countries, it is a little brown, and it has already got us to Split. Have a look, plan something, and tell us where it went wrong.',
  },
]
