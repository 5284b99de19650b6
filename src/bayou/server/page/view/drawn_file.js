/** Files that show the network with its present beliefs: a picture (SVG, PNG), a report to print. */

/** What such a file is: it is to be looked at, and nobody expects a network in it. */
const LOOKED_AT = "The network with its present beliefs, to look at.";
const READ = "The picture, what follows from the findings, and all tables, to read and to print.";
const SHARP = 2;
const LARGEST_SIDE = 12_000;

/** {name, content: a Blob, about: what it is}; null for formats that hold the network itself, which the server sends. */
export async function drawnFile({ connection, model, believed }, format) {
  const ask = (operation) => connection.ask(model.revision, operation, { findings: believed });
  if (format === "report") {
    const { html } = await ask("report");
    return { name: "report.html", content: new Blob([html], { type: "text/html" }), about: READ };
  }
  if (format !== "svg" && format !== "png") return null;
  const { svg } = await ask("picture");
  const content = format === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await rastered(svg);
  return { name: `network.${format}`, content, about: LOOKED_AT };
}

/** The picture in dots: two for each px, fewer if it were too large for a browser. */
async function rastered(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const { naturalWidth: wide, naturalHeight: high } = image;
  const scale = Math.min(SHARP, LARGEST_SIDE / Math.max(wide, high, 1));
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.ceil(wide * scale), height: Math.ceil(high * scale) });
  const pen = canvas.getContext("2d");
  pen.fillStyle = "white";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    const done = (blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large for PNG: take SVG.")));
    canvas.toBlob(done, "image/png");
  });
}
