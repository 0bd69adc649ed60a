import { useLayoutEffect, useState } from 'preact/hooks'
import { count } from '../words.ts'
import { countMore } from './draft.ts'
import { CheckField, type Form, TextField } from './fields.tsx'
import { areBehindMore } from './mistakes.ts'
import { OwnSecrets } from './own-secrets.tsx'
import { PageOptions } from './page-options.tsx'
import { PictureOptions } from './picture-options.tsx'
import { SizesField } from './sizes-field.tsx'
import { VisitorOptions } from './visitor-options.tsx'

/** The pages and their options. Most options are behind "More". */
export function RequestFields({ form, isOpened = false }: { form: Form; isOpened?: boolean }) {
  const [isOpen, setOpen] = useState(isOpened)
  const hides = areBehindMore(form.mistakes)
  // Before the focus goes to the first mistake.
  useLayoutEffect(() => {
    if (hides) setOpen(true)
  }, [hides, form.mistakes])
  const more = countMore(form.draft)
  return (
    <>
      <TextField
        form={form}
        name="addresses"
        label="Addresses, one per line"
        hint="optionally with a name, after a space"
        rows={7}
        placeholder={'https://example.com/\nhttps://example.com/pricing Our prices'}
      />
      <OwnSecrets form={form} />
      <SizesField form={form} />
      <CheckField
        form={form}
        name="fullPage"
        label="Full page"
        hint="the whole page, not only the part that the window shows"
      />
      <TextField
        form={form}
        name="tags"
        label="Tags"
        hint="optional, separated by commas"
        placeholder="release, homepage"
      />
      <button
        type="button"
        class="opens"
        aria-expanded={isOpen}
        aria-controls="more"
        onClick={() => setOpen(!isOpen)}
      >
        More{more > 0 && ` · ${count(more, 'option')} set`}
      </button>
      <div id="more" class="more" hidden={!isOpen}>
        {isOpen && (
          <>
            <PageOptions form={form} />
            <VisitorOptions form={form} />
            <PictureOptions form={form} />
          </>
        )}
      </div>
    </>
  )
}
