/** Draws addresses as codes that a phone's or a television's camera reads. */

import { s } from "../dom";

const quiet = 4; // modules around the code, as its standard asks

/** Returns a text as a QR code. What makes it is loaded at the first call. */
export async function qr(text: string, label: string): Promise<SVGSVGElement> {
  const { default: qrcode } = await import("qrcode-generator");
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const n = code.getModuleCount();
  let path = "";
  for (let row = 0; row < n; row++) {
    for (let column = 0; column < n; column++) {
      if (code.isDark(row, column)) path += `M${column + quiet} ${row + quiet}h1v1h-1z`;
    }
  }
  const size = n + 2 * quiet;
  return s("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" }, s("path", { d: path }));
}
