import { CheckField, type Form, TextField } from './fields.tsx'
import { RowsField } from './rows-field.tsx'

/** What happens on the page before the picture. */
export function PageOptions({ form }: { form: Form }) {
  return (
    <fieldset class="group">
      <legend>Page</legend>
      <div class="pair">
        <TextField form={form} name="waitFor" label="Wait for" hint="a CSS selector" placeholder="#content" />
        <TextField
          form={form}
          name="element"
          label="Only this element"
          hint="a CSS selector"
          placeholder="main .chart"
        />
      </div>
      <div class="pair">
        <TextField
          form={form}
          name="delay"
          label="Wait before the picture"
          hint="in ms"
          inputMode="numeric"
          placeholder="0"
        />
        <TextField
          form={form}
          name="loadingTime"
          label="Longest time for a page"
          hint="in ms"
          inputMode="numeric"
          placeholder="15000"
        />
      </div>
      <TextField
        form={form}
        name="hide"
        label="Hide elements"
        hint="a CSS selector per line"
        rows={2}
        placeholder={'.chat\n#ad'}
      />
      <RowsField
        form={form}
        name="clicks"
        legend="Clicks"
        hint="in this order, before the picture"
        one="click"
        columns={[
          { name: 'elementId', label: 'Element', placeholder: '#menu' },
          {
            name: 'loadingTime',
            label: 'Then wait, in ms',
            placeholder: 'until at rest',
            inputMode: 'numeric',
          },
        ]}
        empty={{ elementId: '', loadingTime: '' }}
      />
      <TextField
        form={form}
        name="css"
        label="Own CSS"
        hint="added to the page"
        rows={3}
        placeholder=".ad { visibility: hidden }"
      />
      <CheckField
        form={form}
        name="cookieBanners"
        label="Decline cookie banners"
        hint="a banner that asks for consent is answered with no"
      />
      <CheckField
        form={form}
        name="failOnStatus"
        label="An error page is a failure"
        hint="a page with an HTTP status of 400 or more gets no picture"
      />
    </fieldset>
  )
}
