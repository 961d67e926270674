/** The part of swagger-ui-dist that the reference uses; the package has no types. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  export type Component = (props: { getComponent(name: string, container?: boolean): Component; text?: unknown }) => unknown;

  export interface System {
    React: { createElement(component: Component | string, attributes: object | null, ...children: unknown[]): unknown };
  }

  export interface Options {
    spec: object;
    domNode: Element;
    layout: string;
    plugins: ((system: System) => { components: Record<string, Component> })[];
    docExpansion: "none";
    defaultModelsExpandDepth: number;
    deepLinking: boolean;
    filter: boolean;
    validatorUrl: null;
    onComplete(): void;
  }

  export default function SwaggerUIBundle(options: Options): unknown;
}
