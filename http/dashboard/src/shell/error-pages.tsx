// Pages that say why there is no page.

interface NoPageProps {
  readonly title: string
  readonly text: string
}

const NoPage = ({ title, text }: NoPageProps) => (
  <article class="prose">
    <h1>{title}</h1>
    <p>{text}</p>
    <p>
      <a href="/">All clusters</a>
    </p>
  </article>
)

export const NotFound = ({ path }: { readonly path: string }) => (
  <NoPage title="There is no page here" text={`${path} is the address of no page of this dashboard.`} />
)

export const NoCluster = ({ name }: { readonly name: string }) => (
  <NoPage title="No such cluster" text={`The manager has no cluster ${name}, or you hold no grant on it.`} />
)

export const Forbidden = ({ reason }: { readonly reason: string }) => (
  <NoPage title="You may not open this page" text={reason} />
)
