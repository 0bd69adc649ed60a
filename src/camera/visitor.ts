import type { PageOptions } from '../contract/capture-options.ts'
import type { Size } from '../contract/picture-sizes.ts'
import { loadPlaywright } from './playwright.ts'

/**
 * The language of a page that asks for none. Without it browsers differ: some have the language of the machine (`en-US@posix` where
 * it has none), and headless shells send no `Accept-Language` at all.
 */
const LOCALE = 'en-US'

type Asked = Size & Pick<PageOptions, 'device' | 'userAgent' | 'locale'>

export interface Visitor {
  readonly mobile: boolean
  readonly touch: boolean
  readonly screen: Size
  /** Undefined: that of the browser. */
  readonly userAgent: string | undefined
  readonly locale: string
}

export function visitorOf({ width, height, ...asked }: Asked): Visitor {
  const device = asked.device === undefined ? undefined : findDevice(asked.device)
  const isItsWindow = device?.viewport.width === width && device.viewport.height === height
  return {
    mobile: device?.isMobile ?? false,
    touch: device?.hasTouch ?? false,
    screen: (isItsWindow && device.screen) || { width, height },
    userAgent: asked.userAgent ?? device?.userAgent,
    locale: asked.locale ?? LOCALE,
  }
}

function findDevice(name: string) {
  const { devices } = loadPlaywright()
  // Its types know nothing of the screen.
  return devices[name] as ((typeof devices)[string] & { readonly screen?: Size }) | undefined
}
