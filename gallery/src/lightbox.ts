import PhotoSwipe from 'photoswipe'
import type { JobResult } from '../../src/contract/results.ts'
import { toHistory } from './addresses.ts'
import { countLines, createCaption } from './caption.ts'
import { copyText } from './copy-text.ts'
import type { KnownPage } from './known-pages.ts'
import type { Listing } from './listing.ts'
import { go } from './navigation.ts'
import { explain } from './parts/problem.tsx'
import { savePicture } from './save.ts'
import 'photoswipe/style.css'
import './style/lightbox.css'

/** A picture this many times as high as wide opens at its top, in the full width of the screen. */
const TALL = 2
/** The height of a line below the picture that not every picture has. */
const CAPTION_LINE = 20
/** The next pictures are fetched when fewer than this are left. */
const AHEAD = 5

/** How far a picture that is higher than the screen scrolls, in screens. */
const PAN_KEYS: Readonly<Record<string, number>> = {
  PageDown: 0.8,
  PageUp: -0.8,
  End: 1_000,
  Home: -1_000,
}

export interface Lightbox {
  close(): void
  /** Called when the list has changed. */
  refresh(): void
}

/**
 * Opens on one job of a list that may grow. `onShow` is called with the job that is shown, `onClose` at the end. Slides keep
 * their order while it is open: new pictures come at the end, wherever they are in the list.
 */
export function openLightbox(
  jobs: Listing<JobResult>,
  {
    picture,
    knownOf,
    onShow,
    onClose,
  }: {
    picture: string
    /** The page of a picture, as far as it is known. */
    knownOf: (uuid: string) => KnownPage | undefined
    onShow: (job: JobResult) => void
    onClose: () => void
  },
): Lightbox {
  const shown = new Map<string, JobResult>()
  let order: string[] = []
  const take = () => {
    for (const job of jobs.items) shown.set(job.uuid, job)
    order = [...shown.keys()]
  }
  take()
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches
  const box = new PhotoSwipe({
    dataSource: { length: 0 } as never,
    index: Math.max(0, order.indexOf(picture)),
    loop: false,
    bgOpacity: 0.97,
    // No opening animation: it would ignore keys and the back button. The style sheet fades it in.
    showHideAnimationType: 'none',
    zoomAnimationDuration: still ? false : 250,
    wheelToZoom: false,
    paddingFn: ({ x }, _data, at) => {
      const more = countLines(knownOf(order[at] ?? '')) * CAPTION_LINE
      return x < 600
        ? { top: 52, bottom: 116 + 2 * more, left: 0, right: 0 }
        : { top: 56, bottom: 84 + more, left: 64, right: 64 }
    },
    initialZoomLevel: ({ panAreaSize, elementSize, fit }) =>
      panAreaSize && elementSize && elementSize.y > TALL * elementSize.x
        ? Math.min(1, panAreaSize.x / elementSize.x)
        : fit,
    // Small pictures can be enlarged, too.
    secondaryZoomLevel: ({ initial }) => Math.max(1, initial * 2),
    maxZoomLevel: 4,
    closeTitle: 'Close',
    zoomTitle: 'Zoom',
    arrowPrevTitle: 'Previous',
    arrowNextTitle: 'Next',
    errorMsg: 'This picture could not be loaded.',
    // Closes into the preview of the last picture, not of the first.
    returnFocus: false,
  })
  const jobAt = (at: number) => shown.get(order[at] ?? '')
  box.addFilter('numItems', () => order.length)
  box.addFilter('itemData', (_data, at) => {
    const job = jobAt(at)
    if (!job) return {}
    const { width, height } = job.screenshotParameter
    return { src: job.data, msrc: job.preview, width, height, alt: job.url.name }
  })
  box.on('change', () => {
    const job = jobAt(box.currIndex)
    if (job) onShow(job)
    if (box.currIndex + AHEAD >= order.length) jobs.more()
  })
  box.on('afterInit', startAtTop)
  box.on('change', startAtTop)
  let begun: typeof box.currSlide
  function startAtTop(): void {
    const slide = box.currSlide
    if (!slide || slide === begun) return
    begun = slide
    if (slide.height > TALL * slide.width) slide.panTo(slide.pan.x, slide.bounds.min.y)
  }
  box.on('keydown', ({ originalEvent: event }) => {
    const { currSlide: slide, viewportSize } = box
    const step = PAN_KEYS[event.key]
    if (!slide || step === undefined || slide.currZoomLevel <= slide.zoomLevels.fit) return
    event.preventDefault()
    slide.panTo(slide.pan.x, slide.pan.y - step * viewportSize.y)
  })
  // If an address has expired, the list is read again, and then the slide. A picture may also fail before it has a slide,
  // while it is preloaded. There is no event for that, so every change checks for it.
  const renewedFor = new WeakSet<object>()
  box.on('loadError', mendFailed)
  box.on('change', mendFailed)
  function mendFailed(): void {
    if (box.isDestroying) return
    for (const { slide } of box.mainScroll.itemHolders) {
      const content = slide?.content
      if (!content?.isError()) continue
      // Not the slide's address: it may be newer than the one that was fetched.
      if (jobAt(content.index)?.data !== content.data.src) box.refreshSlideContent(content.index)
      else if (!renewedFor.has(content)) {
        renewedFor.add(content)
        void jobs.renewUnlessJustDone().then(mendFailed)
      }
    }
  }
  const unsubscribe = jobs.subscribe(() => {
    const known = order.length
    take()
    // The slide after the last one was empty, and must be made now.
    if (order.length > known && box.currIndex === known - 1) box.refreshSlideContent(known)
    else box.dispatch('change')
  })
  box.on('uiRegister', () => {
    registerCaption(box, (at) => {
      const job = jobAt(at)
      return job && { job, known: knownOf(job.uuid) }
    })
    registerButtons(box, jobAt)
  })
  box.on('afterInit', () => {
    box.element?.setAttribute('aria-label', 'Pictures')
    box.element?.setAttribute('aria-modal', 'true')
  })
  box.on('destroy', () => {
    unsubscribe()
    onClose()
  })
  box.init()
  return { close: () => box.close(), refresh: () => void box.dispatch('change') }
}

function registerCaption(
  box: PhotoSwipe,
  pictureAt: (at: number) => { job: JobResult; known: KnownPage | undefined } | undefined,
): void {
  box.ui?.registerElement({
    name: 'caption',
    order: 9,
    isButton: false,
    appendTo: 'root',
    onInit(element) {
      const show = createCaption(element)
      box.on('change', () => {
        const picture = pictureAt(box.currIndex)
        if (picture) show(picture.job, picture.known)
      })
    },
  })
}

const ICONS = {
  copy: '<path d="M11 9h10a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H11a2 2 0 0 1-2-2V11a2 2 0 0 1 2-2Z"/><path d="M13 6h11a3 3 0 0 1 3 3v13"/>',
  download: '<path d="M16 7v13m-5-5 5 5 5-5M8 25h16"/>',
  history: '<circle cx="16" cy="16" r="9"/><path d="M16 11v5l4 2"/>',
}

function registerButtons(box: PhotoSwipe, jobAt: (at: number) => JobResult | undefined): void {
  const button = (name: keyof typeof ICONS, title: string, order: number, run: (job: JobResult) => unknown) =>
    box.ui?.registerElement({
      name,
      title,
      ariaLabel: title,
      order,
      isButton: true,
      html: `<svg viewBox="0 0 32 32" class="pswp__icn stroked" width="32" height="32" aria-hidden="true">${ICONS[name]}</svg>`,
      onClick: () => {
        const job = jobAt(box.currIndex)
        if (job) run(job)
      },
    })
  button('history', 'History', 8, (job) => {
    go(toHistory(job.projectId, job.url.url, { after: job.uuid }))
  })
  button('copy', 'Copy the address of the page', 8, async (job) => {
    announce(box, (await copyText(job.url.url)) ? 'Copied' : 'The browser did not allow copying')
  })
  button('download', 'Download this picture', 8, (job) =>
    savePicture(job.projectId, job.rootId, job.uuid).catch((failure) => announce(box, explain(failure))),
  )
}

function announce(box: PhotoSwipe, text: string): void {
  const note = document.createElement('p')
  note.className = 'pswp__note'
  note.setAttribute('role', 'status')
  note.textContent = text
  box.element?.append(note)
  setTimeout(() => note.remove(), 1_800)
}
