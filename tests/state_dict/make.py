"""Writes the state dicts that tests/nn/models.cpp knows: python3 tests/state_dict/make.py

Needs PyTorch (made with 1.13.1, Debian's python3-torch). NAME.safetensors is the state dict of one
model as PyTorch names it; cases.safetensors has what each model was given and what it gave,
NAME.in.0, ... and NAME.out.0, ...
"""
import json
import os
import struct

import torch
from torch import nn

TYPES = {torch.float32: "F32", torch.int64: "I64"}
HERE = os.path.dirname(os.path.abspath(__file__))


def save(name, tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for key, tensor in tensors.items():
        raw = tensor.detach().contiguous().numpy().tobytes()
        header[key] = {"dtype": TYPES[tensor.dtype], "shape": list(tensor.shape),
                       "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(os.path.join(HERE, name + ".safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def layer(kind):
    return dict(d_model=4, nhead=2, dim_feedforward=6, **kind)


MODELS = {  # name: model, inputs (or what makes the call)
    "linear_norm": (nn.Sequential(nn.Linear(3, 5), nn.LayerNorm(5), nn.Linear(5, 2, bias=False)),
                    [torch.randn, (4, 3)]),
    "lstm": (nn.LSTM(3, 4, num_layers=2, bidirectional=True), [torch.randn, (5, 2, 3)]),
    "gru": (nn.GRU(3, 4, num_layers=2, batch_first=True), [torch.randn, (2, 5, 3)]),
    "rnn": (nn.RNN(3, 4, nonlinearity="relu", bias=False), [torch.randn, (5, 2, 3)]),
    "lstm_cell": (nn.LSTMCell(3, 4), [torch.randn, (2, 3)]),
    "gru_cell": (nn.GRUCell(3, 4), [torch.randn, (2, 3)]),
    "embedding": (nn.Embedding(6, 3, padding_idx=0), [lambda *s: torch.randint(6, s), (2, 5)]),
    "conv2d": (nn.Sequential(nn.Conv2d(2, 4, 3, padding=1, stride=2, groups=2), nn.BatchNorm2d(4)),
               [torch.randn, (2, 2, 5, 6)]),
    "conv1d": (nn.Sequential(nn.Conv1d(3, 4, 2, dilation=2), nn.BatchNorm1d(4), nn.PReLU(4)),
               [torch.randn, (2, 3, 7)]),
    "conv_transpose2d": (nn.ConvTranspose2d(2, 3, (2, 3), stride=2, padding=1),
                         [torch.randn, (2, 2, 3, 4)]),
    "group_norm": (nn.GroupNorm(2, 4), [torch.randn, (2, 4, 3)]),
    "instance_norm": (nn.InstanceNorm1d(3, affine=True, track_running_stats=True),
                      [torch.randn, (2, 3, 4)]),
    "bilinear": (nn.Bilinear(3, 2, 4), [torch.randn, (5, 3), (5, 2)]),
    "attention": (nn.MultiheadAttention(4, 2), [torch.randn, (3, 2, 4), (5, 2, 4), (5, 2, 4)]),
    "attention_kdim": (nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True),
                       [torch.randn, (2, 3, 4), (2, 6, 3), (2, 6, 5)]),
    "encoder": (nn.TransformerEncoder(nn.TransformerEncoderLayer(**layer({"activation": "gelu"})),
                                      2, nn.LayerNorm(4)), [torch.randn, (5, 2, 4)]),
    "decoder": (nn.TransformerDecoder(nn.TransformerDecoderLayer(
        **layer({"norm_first": True, "batch_first": True})), 2),
        [torch.randn, (2, 3, 4), (2, 5, 4)]),
    "transformer": (nn.Transformer(num_encoder_layers=1, num_decoder_layers=2, **layer({})),
                    [torch.randn, (5, 2, 4), (3, 2, 4)]),
}


def flat(output):
    if isinstance(output, torch.Tensor):
        return [output]
    return [tensor for part in output for tensor in flat(part)]


cases = {}
torch.manual_seed(3)
for name, (model, (draw, *shapes)) in MODELS.items():
    for value in model.parameters():  # none at 0 or 1, where a mix-up would not show
        nn.init.uniform_(value, -0.8, 0.8)
    model.train()
    inputs = [draw(*shape) for shape in shapes]
    if name.startswith(("conv", "instance")):
        model(*inputs)  # moves the running statistics
    model.eval()
    with torch.enable_grad():  # not PyTorch's inference path
        outputs = flat(model(*inputs))
    save(name, model.state_dict())
    cases.update({f"{name}.in.{i}": tensor for i, tensor in enumerate(inputs)})
    cases.update({f"{name}.out.{i}": tensor for i, tensor in enumerate(outputs)})
save("cases", cases)
