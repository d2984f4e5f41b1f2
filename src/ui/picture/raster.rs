//! Triangles to pixels: textures, blending, clipping.
//!
//! Apart from `picture` because it knows egui's meshes and nothing of the window.

use std::collections::HashMap;

use egui::epaint::textures::TexturesDelta;
use egui::epaint::{ClippedPrimitive, ImageData, Mesh, Primitive, Vertex};
use egui::{Pos2, Rect, TextureId, pos2};

pub struct Raster {
    pub size: [u32; 2],
    pub pixels: Vec<[u8; 3]>,
    textures: HashMap<TextureId, Texture>,
}

#[derive(Default)]
struct Texture {
    size: [usize; 2],
    pixels: Vec<[u8; 4]>,
}

impl Raster {
    pub fn new(size: [u32; 2]) -> Raster {
        let pixels = vec![[0; 3]; size[0] as usize * size[1] as usize];
        Raster {
            size,
            pixels,
            textures: HashMap::new(),
        }
    }

    pub fn take_textures(&mut self, mut delta: TexturesDelta) {
        for (id, changes) in delta.set.drain() {
            let texture = self.textures.entry(id).or_default();
            for change in changes {
                let ImageData::Color(image) = change.image;
                let [width, height] = image.size;
                let [left, top] = change.pos.unwrap_or_else(|| {
                    texture.size = image.size;
                    texture.pixels = vec![[0; 4]; width * height];
                    [0, 0]
                });
                for (at, color) in image.pixels.iter().enumerate() {
                    let place = (top + at / width) * texture.size[0] + left + at % width;
                    if let Some(pixel) = texture.pixels.get_mut(place) {
                        *pixel = color.to_array();
                    }
                }
            }
        }
        delta.free.clear();
    }

    /// `scale` is the pixels of a point.
    pub fn paint(&mut self, drawn: &[ClippedPrimitive], scale: f32) {
        for part in drawn {
            if let Primitive::Mesh(mesh) = &part.primitive {
                self.mesh(mesh, part.clip_rect * scale, scale);
            }
        }
    }

    fn mesh(&mut self, mesh: &Mesh, clip: Rect, scale: f32) {
        let [width, height] = self.size;
        let screen = Rect::from_min_max(pos2(0.0, 0.0), pos2(width as f32, height as f32));
        let clip = Rect::from_min_max(clip.min.round(), clip.max.round()).intersect(screen);
        let Some(texture) = self.textures.get(&mesh.texture_id) else {
            return;
        };
        for corners in mesh.indices.chunks_exact(3) {
            let corner = |at: usize| {
                let index = corners.get(at).copied().unwrap_or(u32::MAX);
                let mut vertex = *mesh.vertices.get(index as usize)?;
                vertex.pos = (vertex.pos.to_vec2() * scale).to_pos2();
                Some(vertex)
            };
            if let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) {
                let corners = [&a, &b, &c];
                triangle(&mut self.pixels, width as usize, texture, clip, corners);
            }
        }
    }
}

fn triangle(
    pixels: &mut [[u8; 3]],
    width: usize,
    texture: &Texture,
    clip: Rect,
    [a, b, c]: [&Vertex; 3],
) {
    let area = cross(a.pos, b.pos, c.pos);
    if area == 0.0 {
        return;
    }
    let bounds = Rect::from_points(&[a.pos, b.pos, c.pos]).intersect(clip);
    let (left, right) = (bounds.min.x.floor() as i64, bounds.max.x.ceil() as i64);
    let (top, foot) = (bounds.min.y.floor() as i64, bounds.max.y.ceil() as i64);
    for y in top.max(clip.min.y as i64)..foot.min(clip.max.y as i64) {
        for x in left.max(clip.min.x as i64)..right.min(clip.max.x as i64) {
            let point = pos2(x as f32 + 0.5, y as f32 + 0.5);
            let weights = [
                cross(b.pos, c.pos, point) / area,
                cross(c.pos, a.pos, point) / area,
                cross(a.pos, b.pos, point) / area,
            ];
            if !inside(weights, [a.pos, b.pos, c.pos], area) {
                continue;
            }
            let [wa, wb, wc] = weights;
            let uv = pos2(
                a.uv.x * wa + b.uv.x * wb + c.uv.x * wc,
                a.uv.y * wa + b.uv.y * wb + c.uv.y * wc,
            );
            let texel = texture.at(uv);
            let colors = [a.color.to_array(), b.color.to_array(), c.color.to_array()];
            let mut source = [0.0; 4];
            for (at, channel) in source.iter_mut().enumerate() {
                let [ca, cb, cc] =
                    colors.map(|color| f32::from(color.get(at).copied().unwrap_or(0)));
                let texel = texel.get(at).copied().unwrap_or(0.0);
                *channel = (ca * wa + cb * wb + cc * wc) * texel / 255.0;
            }
            if let Some(pixel) = pixels.get_mut(y as usize * width + x as usize) {
                blend(pixel, source);
            }
        }
    }
}

/// Twice the signed area of a triangle.
fn cross(a: Pos2, b: Pos2, c: Pos2) -> f32 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// Whether a point belongs to a triangle; one on an edge belongs to one of the two beside it.
fn inside(weights: [f32; 3], [a, b, c]: [Pos2; 3], area: f32) -> bool {
    let edges = [(b, c), (c, a), (a, b)];
    weights.iter().zip(edges).all(|(weight, (from, to))| {
        let (dx, dy) = if area > 0.0 {
            (to.x - from.x, to.y - from.y)
        } else {
            (from.x - to.x, from.y - to.y)
        };
        *weight > 0.0 || (*weight == 0.0 && (dy < 0.0 || (dy == 0.0 && dx > 0.0)))
    })
}

fn blend(pixel: &mut [u8; 3], [r, g, b, alpha]: [f32; 4]) {
    let under = 1.0 - alpha / 255.0;
    for (channel, over) in pixel.iter_mut().zip([r, g, b]) {
        *channel = (over + f32::from(*channel) * under)
            .round()
            .clamp(0.0, 255.0) as u8;
    }
}

impl Texture {
    /// The colour between the four nearest texels.
    fn at(&self, uv: Pos2) -> [f32; 4] {
        let [width, height] = self.size;
        let x = (uv.x * width as f32 - 0.5).clamp(0.0, width.saturating_sub(1) as f32);
        let y = (uv.y * height as f32 - 0.5).clamp(0.0, height.saturating_sub(1) as f32);
        let (left, top) = (x as usize, y as usize);
        let (fx, fy) = (x - left as f32, y - top as f32);
        let right = (left + 1).min(width.saturating_sub(1));
        let foot = (top + 1).min(height.saturating_sub(1));
        let mut mixed = [0.0; 4];
        for (column, row, weight) in [
            (left, top, (1.0 - fx) * (1.0 - fy)),
            (right, top, fx * (1.0 - fy)),
            (left, foot, (1.0 - fx) * fy),
            (right, foot, fx * fy),
        ] {
            let texel = self.pixels.get(row * width + column);
            for (sum, channel) in mixed.iter_mut().zip(texel.copied().unwrap_or_default()) {
                *sum += f32::from(channel) * weight;
            }
        }
        mixed
    }
}
